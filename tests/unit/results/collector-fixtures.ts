/** A collector on a batch in memory, for the tests of its rounds, of one batch and of its events. */
import type { ReportedOutcome } from '../../../shared/batches/apply/plan-apply.ts';
import { changeBatch, chunkRows, insertBatch, insertChunks, readBatch } from '../../../shared/batches/ledger.ts';
import { pausing } from '../../../shared/batches/pause.ts';
import { writeProgress } from '../../../shared/batches/progress/progress-rows.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import type { Queue } from '../../../shared/queues/messages.ts';
import { createCollectRound } from '../../../shared/results/collect-round.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { createMergeAhead } from '../../../shared/results/merge-ahead.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import type { HaltRule } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import {
  BATCH,
  batchRowOf,
  chunkRowOf,
  headerOf,
  messageOf,
  outcomeOf,
  readChunkReference,
} from '../../helpers/data/factories.ts';
import { memoryBlobs } from '../../helpers/fakes/memory-blobs.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { address } from '../drain/drain-fixtures.ts';

export const outcomes = (n: number, header = headerOf()) =>
  Array.from({ length: n }, (_, index) => outcomeOf(String(index).padStart(6, '0'), header));

const OPENED = '2026-01-01T00:00:00.000Z';

/**
 * A collector on a batch of `chunks` chunks that was opened 50 seconds ago. A call that is given to `fail` throws once.
 */
export async function world(chunks: number, options: { halt?: HaltRule; resultsReady?: boolean } = {}) {
  const store = memoryTable();
  const registry = createRegistry([{ ...address.workload, ...options }]);
  const gates = memoryTable().table;
  const puts: string[] = [];
  const published: { id: string; items: number | undefined; details: unknown }[] = [];
  let nowMs = Date.parse('2026-01-01T00:01:00.000Z');
  const deleted: string[] = [];
  const lines: { event: string }[] = [];
  const faults = new Map<string, Error>();
  const meet = (on: string): void => {
    const error = faults.get(on);
    faults.delete(on);
    if (error !== undefined) throw error;
  };
  const returned: { id: string; seconds: number; text: string | undefined }[] = [];
  const queue = {
    deleteMessage: async (id: string) => void deleted.push(id),
    updateMessage: async (id: string, _receipt: string, text: string | undefined, seconds: number) => {
      meet('return');
      returned.push({ id, seconds, text });
      return { popReceipt: 'next' };
    },
    sendMessage: async (text: string) => {
      meet('put');
      const { chunk, resent = false } = readChunkReference(text);
      puts.push(resent ? `${chunk} resent` : chunk);
    },
  } as unknown as Queue;
  const deps: FinalizeDeps = {
    table: store.table,
    container: memoryBlobs().container,
    queues: () => queue,
    registry,
    gate: { table: gates, now: () => nowMs },
    needsWake: async () => true,
    visibilitySeconds: 300,
    mergeAhead: createMergeAhead(createRegistry([])),
    addressOf: () => address,
    publish: async (_address, { type, items, details }, { messageId = '' } = {}) => {
      meet(type);
      if (type !== 'QueueWorkDetected') published.push({ id: messageId, items, details });
    },
  };
  const rows = outcomes(chunks).map(({ chunk }) => chunkRowOf({ chunk }));
  await insertBatch(
    store.table,
    batchRowOf({ accepted: 4 * chunks, chunksTotal: chunks, openedAt: '2026-01-01T00:00:10.000Z', queuedAt: OPENED }),
    rows,
  );
  await insertChunks(store.table, rows.slice(98));
  const round = createCollectRound(deps, registry.queue('billing-results') as QueueAddress);
  const heard = (line: string): void => void lines.push(JSON.parse(line));
  const sink = { debug: () => {}, info: heard, warn: heard, error: heard };
  return {
    published,
    deleted,
    returned,
    /** When messages of the result queue become visible, as recorded in the gate. */
    due: async () => (await readGate(gates, 'billing-results')).row.due,
    lines,
    puts,
    wait: (ms: number): void => {
      nowMs += ms;
    },
    redrive: () => changeBatch(store.table, BATCH, (row) => ({ revision: row.revision + 1, state: 'queued' })),
    pause: () =>
      changeBatch(store.table, BATCH, (row) =>
        pausing(row, { by: 'operator', reason: 'why', at: '2026-01-01T00:00:40.000Z' }),
      ),
    pending: async () => {
      const rows: string[] = [];
      for await (const row of chunkRows(store.table, BATCH, { state: 'pending' })) rows.push(row.chunk);
      return rows;
    },
    row: async () => (await readBatch(store.table, BATCH))?.row,
    fail: (on: string, error: Error = new Error(on)): void => void faults.set(on, error),
    setTime: (at: string): void => {
      nowMs = Date.parse(at);
    },
    /** Writes the progress of the batch's running chunks in one process. */
    runs: (ended: number) =>
      writeProgress(
        store.table,
        { batch: BATCH, processId: 'p' },
        { chunks: 1, items: 100, ended, inFlight: 1, failing: 0, at: new Date(nowMs).toISOString() },
      ),
    calls: (): string[] => {
      const calls: string[] = [];
      store.before(async (name) => void calls.push(name));
      return calls;
    },
    /** Delivers result messages, by their ids, in one round. */
    deliver: (messages: Record<string, ReportedOutcome[]>) =>
      withLog(sink, () =>
        round(Object.entries(messages).map(([id, list]) => messageOf(textOf(list, id), { messageId: id }))),
      ),
  };
}

/**
 * Messages of different puts have different times. `m1 again` has the same content as `m1`, because its put was repeated.
 */
const textOf = (list: ReportedOutcome[], id: string): string =>
  JSON.stringify({
    v: 1,
    workload: 'billing',
    queue: 'billing-normal-0',
    chunks: list.map(({ chunk, header }) => ({ batch: BATCH, chunk, header })),
    operations: { 'blob.put': 1 },
    at: `2026-01-01T00:00:3${/\d/.exec(id)?.[0] ?? 0}.000Z`,
  });

export const one = headerOf({ dead: 1 }, { causes: { a: 1 } });

export const idsOf = (published: { id: string }[], type: string): string[] =>
  published.map(({ id }) => id).filter((id) => id.startsWith(`${type}-`));
