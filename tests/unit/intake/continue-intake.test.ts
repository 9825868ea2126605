import { expect, it } from 'vitest';
import { z } from 'zod';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { changeBatch, chunkRows, insertBatch, requireBatch } from '../../../shared/batches/ledger.ts';
import { chunkId } from '../../../shared/contract/names.ts';
import { type ContinueDeps, enterQueues } from '../../../shared/intake/continue-intake.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, batchRowOf, chunkRowOf } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const ROWS_PER_PIECE = 196;
const CHUNKS = 3 * ROWS_PER_PIECE + 10;
const BUDGET_MS = 60_000;
const workload = defineWorkload({ name: 'billing', version: 1, item: z.unknown(), map: (item) => item });
const rows = Array.from({ length: CHUNKS }, (_, nth) => chunkRowOf({ chunk: chunkId(nth) }));

/** Storage and a queue; each put takes `putMs` of service time, and put number `failsAt` fails. */
async function world({ putMs = 0, failsAt = -1, chunks = CHUNKS } = {}) {
  const { table, before } = memoryTable();
  const puts: number[] = [];
  const calls = { table: 0, wakes: 0 };
  const state = { nowMs: Date.parse('2026-01-01T00:00:00.000Z'), putMs, failsAt };
  const queue = {
    name: 'billing-normal-0',
    sendMessage: async (text: string) => {
      if (puts.length === state.failsAt) throw new Error('The process has died.');
      state.nowMs += state.putMs;
      puts.push(Number((JSON.parse(text) as { chunk: string }).chunk));
    },
  };
  const deps = {
    ...{ rowsPerPiece: ROWS_PER_PIECE, table, registry: createRegistry([workload]), queues: () => queue },
    gate: { now: () => state.nowMs },
    publish: async () => {
      calls.wakes += 1;
    },
    needsWake: async () => true,
  } as unknown as ContinueDeps;
  const row = batchRowOf({ state: 'enqueueing', chunksTotal: chunks });
  const accepted = await insertBatch(table, row, rows.slice(0, chunks));
  before(async () => {
    calls.table += 1;
  });
  /** Enters the queues: an intake that has just been accepted, or one that continues from the stored row. */
  const begin = (): Promise<BatchRow> =>
    enterQueues(deps, accepted?.row ?? row, {
      ...{ rows: (first) => rows.slice(first, chunks), isBegun: true, etag: accepted?.etag ?? '' },
    });
  const resume = async (): Promise<BatchRow> => {
    const { row: now } = await requireBatch(table, BATCH);
    return enterQueues(deps, now, { rows: (first) => rows.slice(first, chunks) });
  };
  return { state, puts, calls, table, begin, resume };
}

const pendingChunks = async ({ table }: { table: Table }): Promise<number> => {
  let n = 0;
  for await (const _row of chunkRows(table, BATCH, { state: 'pending' })) n += 1;
  return n;
};

it('ends after its time with the batch in enqueueing, and continues behind the last recorded reference', async () => {
  const one = await world({ putMs: (1.5 * BUDGET_MS) / (2 * ROWS_PER_PIECE) });

  expect(await one.begin()).toMatchObject({ state: 'enqueueing', enqueuedTo: 2 * ROWS_PER_PIECE });
  expect(one.puts).toHaveLength(2 * ROWS_PER_PIECE);
  one.state.putMs = 0;
  expect(await one.resume()).toMatchObject({ state: 'queued', enqueuedTo: undefined });

  expect(one.puts).toEqual(rows.map((_, nth) => nth));
  expect(await pendingChunks(one)).toBe(CHUNKS);
});

it('makes progress at each repeat, however slow the storage is', async () => {
  const one = await world({ putMs: BUDGET_MS });

  const states = [(await one.begin()).state];
  while (states.at(-1) === 'enqueueing') states.push((await one.resume()).state);

  expect(states).toEqual(['enqueueing', 'enqueueing', 'enqueueing', 'queued']);
  expect(one.puts).toEqual(rows.map((_, nth) => nth));
});

it.each([0, 100, ROWS_PER_PIECE, ROWS_PER_PIECE + 1, 3 * ROWS_PER_PIECE, CHUNKS - 1])(
  'skips no reference and no row if the process dies at put %i',
  async (failsAt) => {
    const one = await world({ failsAt });

    await expect(one.begin()).rejects.toThrow('died');
    one.state.failsAt = -1;
    expect(await one.resume()).toMatchObject({ state: 'queued' });

    expect([...new Set(one.puts)].toSorted((a, b) => a - b)).toEqual(rows.map((_, nth) => nth));
    expect(one.puts.length - CHUNKS).toBeLessThanOrEqual(ROWS_PER_PIECE);
    expect(await pendingChunks(one)).toBe(CHUNKS);
  },
);

it('records no progress of a batch of one piece, and wakes its queue once', async () => {
  const one = await world({ chunks: ROWS_PER_PIECE, putMs: BUDGET_MS });

  expect(await one.begin()).toMatchObject({ state: 'queued' });

  // The second transaction of chunk rows, and the change to `queued`.
  expect(one.calls).toEqual({ table: 2, wakes: 1 });
});

it('stops if the batch was cancelled in the meantime', async () => {
  const one = await world({ putMs: BUDGET_MS });
  await one.begin();
  await changeBatch(one.table, BATCH, () => ({ state: 'cancelling' }));

  await one.resume();

  expect(one.puts).toHaveLength(2 * ROWS_PER_PIECE);
  expect((await requireBatch(one.table, BATCH)).row.state).toBe('cancelling');
});
