/** The workloads of the fault tests, in the place of the app's own (tests/helpers/app-copy.ts). */
import { z } from 'zod';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../shared/workload/errors.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { ATTEMPTS, type FaultItem, type FaultResult, type FaultTotal } from './items.ts';

const KiB = 1024;
/** Characters of an error's name. */
const MAX_NAME = 40;

const item = z.object({
  n: z.number().int(),
  k: z.string(),
  v: z.number().int(),
  f: z.enum(['ok', 'once', 'reject', 'never']).optional(),
  t: z.string().optional(),
});

function map(given: FaultItem, { attempt, position }: { attempt: number; position: number }): FaultResult {
  const { n, k, v, f = 'ok', t } = given;
  if (f === 'reject') throw new Reject(`Item ${n} is refused: ${t}`);
  if (f === 'never') throw Object.assign(new Error(`Item ${n} never works: ${t}`), { name: t?.slice(0, MAX_NAME) });
  if (f === 'once' && attempt === 1) throw new Retry(`Item ${n} works the second time: ${t}`);
  return { n, position, k, v, t };
}

const reduce = {
  key: ({ k }: FaultResult) => k,
  init: (): FaultTotal => ({ count: 0, sum: 0 }),
  add: ({ count, sum }: FaultTotal, { v }: FaultResult): FaultTotal => ({ count: count + 1, sum: sum + v }),
  merge: (a: FaultTotal, b: FaultTotal): FaultTotal => ({ count: a.count + b.count, sum: a.sum + b.sum }),
};

const workload = (name: string, maxItems: number) =>
  defineWorkload({
    name,
    version: 1,
    item,
    map,
    reduce,
    retry: { attempts: ATTEMPTS },
    chunk: { maxItems, maxBytes: 256 * KiB },
    secondsPerChunk: 0.05,
  });

const named = (prefix: string, count: number, maxItems: number) =>
  Array.from({ length: count }, (_, index) => workload(`${prefix}${index}`, maxItems));

/** `call<n>`: one each for the many small batches of a pass; `slot<n>`: used again and again by the random runs. */
export const registry = createRegistry([...named('call', 250, 4), ...named('slot', 64, 2_500)]);
