/** The workloads of the fault tests, which replace the app's own (tests/helpers/app-copy.ts). */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { defineWorkload, type ItemContext } from '../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../shared/workload/errors.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { countCall } from './count-call.ts';
import './stall.ts';
import {
  ATTEMPTS,
  type FaultItem,
  type FaultResult,
  type FaultTotal,
  HALT,
  ITEM_BEHAVIOURS,
  isHalting,
  isLimited,
  RATE_LIMIT,
  TIMEOUT_SECONDS,
} from './items.ts';

const KiB = 1024;
/** Maximum characters of an error's name. */
const MAX_NAME = 40;
/** Waits of an item: the maximum, and one that is long enough for its error to come before its end. */
const SHORT_MS = 5;
const LONG_MS = 10_000;
/** Time of a `long` item: some of them in one thread take as long as the time that an invocation has for items. */
const LONG_ITEM_MS = 6_000;

const item = z.object({
  n: z.number().int(),
  k: z.string(),
  v: z.number().int(),
  f: z.enum(ITEM_BEHAVIOURS).optional(),
  t: z.string().optional(),
});

function map(given: FaultItem, { batch, position, attempt }: ItemContext): FaultResult {
  countCall(batch, position, attempt);
  const { n, k, v, f = 'ok', t } = given;
  if (f === 'reject') throw new Reject(`Item ${n} is refused: ${t}`);
  if (f === 'never') throw failure(given, 'never works');
  if (f === 'once' && attempt === 1) throw new Retry(`Item ${n} works the second time: ${t}`);
  if (f === 'late') void Promise.reject(failure(given, 'leaves something behind'));
  if (f === 'exit') process.exit(1);
  // Errors keep lone surrogates, which are replaced where necessary; a result that contains one is an error.
  return { n, position, k, v, t: t?.toWellFormed() };
}

async function waitingMap(given: FaultItem, context: ItemContext): Promise<FaultResult> {
  const result = map(given, context);
  if (given.f === 'waits') await sleep(1 + (given.n % SHORT_MS));
  if (given.f === 'long') await sleep(LONG_ITEM_MS);
  if (given.f === 'unhandled') void Promise.reject(failure(given, 'leaves a rejection'));
  if (given.f === 'timer') setTimeout(() => raise(failure(given, 'throws in a timer')), 1);
  if (given.f === 'unhandled' || given.f === 'timer') await sleep(LONG_MS);
  return result;
}

function failure({ n, t }: FaultItem, what: string): Error {
  return Object.assign(new Error(`Item ${n} ${what}: ${t}`), { name: t?.slice(0, MAX_NAME) });
}

function raise(error: Error): never {
  throw error;
}

const reduce = {
  key: ({ k }: FaultResult) => k,
  init: (): FaultTotal => ({ count: 0, sum: 0 }),
  add: ({ count, sum }: FaultTotal, { v }: FaultResult): FaultTotal => ({ count: count + 1, sum: sum + v }),
  merge: (a: FaultTotal, b: FaultTotal): FaultTotal => ({ count: a.count + b.count, sum: a.sum + b.sum }),
};

interface Kind {
  maxItems: number;
  queuesPerLane?: number;
  map: typeof map | typeof waitingMap;
  limited?: boolean;
  halting?: boolean;
}

const workload = (name: string, { maxItems, queuesPerLane = 1, map, limited = false, halting = false }: Kind) =>
  defineWorkload({
    name,
    ...(limited ? { rateLimit: RATE_LIMIT } : {}),
    ...(halting ? { halt: HALT } : {}),
    version: 1,
    queuesPerLane,
    item,
    map,
    reduce,
    retry: { attempts: ATTEMPTS },
    // Half of the time for which an instance is frozen at most: a call that was frozen is not charged.
    timeoutSeconds: TIMEOUT_SECONDS,
    chunk: { maxItems, maxBytes: 256 * KiB },
    secondsPerChunk: 0.05,
  });

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/**
 * `call<n>`: one for each small batch of a pass, which one round collects. `split<n>`: the same over two queues, so
 * that result messages report them. `slot<n>`: reused by the random runs, with a handler that may wait. Some slots have
 * a limit, some a halt rule, some both.
 */
export const registry = createRegistry([
  ...names('call', 250).map((name) => workload(name, { maxItems: 4, map })),
  ...names('split', 250).map((name) => workload(name, { maxItems: 4, queuesPerLane: 2, map })),
  ...names('slot', 64).map((name) => {
    const rules = { limited: isLimited(name), halting: isHalting(name) };
    return workload(name, { maxItems: 2_500, map: waitingMap, ...rules });
  }),
]);
