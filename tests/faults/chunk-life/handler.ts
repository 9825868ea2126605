/**
 * The workload of the exploration, and its handler. What it does to an item depends on the whim of a run, because real
 * handlers are not deterministic.
 */
import { z } from 'zod';
import type { ChunkOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { encodeOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { deadLine, retryLine } from '../../../shared/processing/outcome/encode/lines.ts';
import { readSources, type Source } from '../../../shared/processing/sources.ts';
import type { Stop } from '../../../shared/processing/thread/thread-status.ts';
import type { ChunkJob } from '../../../shared/processing/thread/thread-task.ts';
import { defineWorkload, type HaltRule } from '../../../shared/workload/define.ts';
import { createRegistry, type Registry } from '../../../shared/workload/registry.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** Counts each item under its own key: a value other than 1 in a report is a double count. */
const workloadOf = (halt?: HaltRule) =>
  defineWorkload({
    name: 'w',
    version: 1,
    item: z.unknown(),
    map: (item) => item,
    lanes: ['n'],
    reduce: { key: String, init: () => 0, add: (sum: number) => sum + 1, merge: (a: number, b: number) => a + b },
    ...(halt === undefined ? {} : { halt }),
  });
export const registryOf = (halt?: HaltRule): Registry => createRegistry([workloadOf(halt)]);
export const ITEMS_QUEUE = 'w-n-0';
export const RESULTS_QUEUE = 'w-results';

/**
 * The variants of a run. The same items may end differently in another run (0, 1), and a run may stop after its first
 * item, because its batch was cancelled or its process is about to end.
 */
export type Whim = 0 | 1 | Stop;
type Verdict = 'result' | 'dead' | 'retry' | 'cancelled' | 'returned';

/** By position in the batch: item 1 becomes a dead letter, item 2 fails once, item 3 twice. At whim 1 they succeed. */
function verdictOf(source: Source, chunk: string, whim: Whim): Verdict {
  if (chunk.startsWith('v')) return 'result';
  if (source.index === 1) return whim !== 1 ? 'dead' : 'result';
  if (source.index > 1) return whim !== 1 && source.attempts.length < source.index - 1 ? 'retry' : 'result';
  return 'result';
}

/** The run stops after its first item. */
const stopped = (verdict: Verdict, line: number, whim: Whim): Verdict =>
  line === 0 || typeof whim === 'number' ? verdict : whim;

/** Runs a chunk; the real encoders create frames and header. */
export function processChunk({ reference, frame }: ChunkJob, whim: Whim): ChunkOutcome {
  const sources = [...readSources(reference, frame)];
  const verdicts = sources.map((source, line) => stopped(verdictOf(source, reference.chunk, whim), line, whim));
  const of = (verdict: Verdict): Source[] => sources.filter((_, line) => verdicts[line] === verdict);
  // A failed first item of a cancelled batch is not retried.
  const failed = whim === 'cancelled' ? [] : of('retry');
  const [good, dead, returned] = [of('result'), of('dead'), of('returned')];
  const error = { name: 'Reject', message: 'not today' };
  const attempt = { at: AT, error: { name: 'Error', message: 'busy' } };
  const lines = {
    results: good.map(({ index }) => String(index)),
    dead: dead.map((source) => deadLine(source, { reason: 'rejected', error, attempts: source.attempts, version: 1 })),
    retries: [
      ...failed.map((source) => retryLine(source, [...source.attempts, attempt])),
      ...returned.map((source) => retryLine(source, source.attempts)),
    ],
    partial: good.map(({ index }) => JSON.stringify({ key: String(index), value: 1 })),
  };
  const [succeeded, retried] = [good.length, lines.retries.length];
  const cancelled = sources.length - succeeded - dead.length - retried;
  const counts = { items: sources.length, succeeded, dead: dead.length, cancelled, retried };
  const encoded = encodeOutcome({ ending: whim === 'cancelled' ? 'cancelled' : 'processed', counts }, lines);
  return { ...encoded, failures: failed.length, failure: '', ran: sources.length, causes: {}, operations: {} };
}
