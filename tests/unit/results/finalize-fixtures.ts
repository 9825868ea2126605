/** A batch of two chunks in memory. A test specifies how they ended. */
import { z } from 'zod';
import { applyOutcomes } from '../../../shared/batches/apply/apply-outcomes.ts';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { insertBatch, readBatch } from '../../../shared/batches/ledger.ts';
import { writeOpenRow } from '../../../shared/batches/listing/open-rows.ts';
import { outcomeBlobName } from '../../../shared/contract/names.ts';
import type { OutcomeHeader } from '../../../shared/contract/outcome.ts';
import { encodeOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { createMergeAhead } from '../../../shared/results/merge-ahead.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload, type Reduce, type Workload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, batchRowOf, chunkRowOf, type headerOf, outcomeOf } from '../../helpers/data/factories.ts';
import { reportLinesIn } from '../../helpers/data/read-report.ts';
import { memoryBlobs } from '../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { address } from '../drain/drain-fixtures.ts';

export const NOW = '2026-01-01T00:01:00.000Z';

/** A batch of two chunks, of which the given ones have ended. */
export async function batchWith(
  ends: Record<string, ReturnType<typeof headerOf>>,
  workload: Workload = address.workload,
) {
  const store = memoryTable();
  const { container, blobs } = memoryBlobs();
  const published: string[] = [];
  const deps: FinalizeDeps = {
    table: store.table,
    container,
    queues: () => {
      throw new Error('unreachable');
    },
    registry: createRegistry([workload]),
    gate: { table: store.table, now: () => Date.parse(NOW) },
    needsWake: async () => true,
    visibilitySeconds: 300,
    mergeAhead: createMergeAhead(createRegistry([])),
    addressOf: () => address,
    publish: async (_address, { type }, { messageId = '' } = {}) => void published.push(`${type} ${messageId}`),
  };
  const chunks = ['000000', '000001'].map((chunk) => chunkRowOf({ chunk }));
  await writeOpenRow(store.table, batchRowOf());
  await insertBatch(store.table, batchRowOf({ accepted: 8, chunksTotal: 2 }), chunks);
  const list = Object.entries(ends).map(([chunk, header]) => outcomeOf(chunk, header));
  if (list.length > 0) await applyOutcomes(store.table, BATCH, list, { at: NOW });
  const row = async (): Promise<BatchRow | undefined> => (await readBatch(store.table, BATCH))?.row;
  return { deps, store, blobs, published, row };
}

export type Sum = Reduce<unknown, unknown>;
const plus = (a: unknown, b: unknown): number => Number(a) + Number(b);
const sum: Sum = { key: () => 'k', init: () => 0, add: plus, merge: plus };

/** A workload with `reduce`, which adds up unless the test changes it. */
export const summing = (reduce: Partial<Sum> = {}): Workload =>
  defineWorkload({
    ...{ name: 'billing', version: 1, item: z.unknown(), map: (item: unknown) => item },
    reduce: { ...sum, ...reduce },
  });

/** Two chunks that ended with one partial aggregate each, and a workload with `reduce`. */
export async function partials(reduce: Partial<Sum>, lines = ['{"key":"k","value":1}', '{"key":"k","value":2}']) {
  const counts = { items: 4, succeeded: 4, dead: 0, cancelled: 0, retried: 0 };
  const outcomes = lines.map((line, n) =>
    encodeOutcome({ ending: 'processed', counts }, { results: [`${n + 1}`, '0', '0', '0'], partial: [line] }),
  );
  return ended(outcomes, summing(reduce));
}

/** Two chunks that ended with these outcomes, stored. */
export async function ended(outcomes: readonly { header: OutcomeHeader; body: Uint8Array }[], workload: Workload) {
  const ends = Object.fromEntries(outcomes.map(({ header }, index) => [`00000${index}`, header]));
  const made = await batchWith(ends, workload);
  for (const [index, { body }] of outcomes.entries()) {
    const name = `results/${outcomeBlobName('billing', BATCH, `00000${index}`)}`;
    made.blobs.set(name, { body: Buffer.from(body), metadata: {} });
  }
  return made;
}

/** Reads the lines of the report of a revision; undefined if there is none. */
export function reportLines(blobs: ReturnType<typeof memoryBlobs>['blobs'], revision: number): string[] | undefined {
  const blob = blobs.get(`reports/${BATCH}/000${revision}.ndjson.zst`);
  return blob && reportLinesIn(blob.body);
}

/** Throws in an expression. */
export function fail(thrown: unknown): never {
  throw thrown;
}

/** Runs `fn`, and returns the log lines that it wrote. */
export async function logged(fn: () => Promise<void>): Promise<{ event: string; error?: { message: string } }[]> {
  const lines: string[] = [];
  const heard = (line: string): void => void lines.push(line);
  await withLog({ debug: heard, info: heard, warn: heard, error: heard }, fn);
  return lines.map((line) => JSON.parse(line));
}
