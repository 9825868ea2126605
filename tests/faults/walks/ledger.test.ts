import type { TableClient } from '@azure/data-tables';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyOutcomes } from '../../../shared/batches/apply/apply-outcomes.ts';
import type { ReportedOutcome } from '../../../shared/batches/apply/plan-apply.ts';
import { chunkRows, insertBatch, readBatch } from '../../../shared/batches/ledger.ts';
import { chunkId, newBatchId } from '../../../shared/contract/names.ts';
import { batchRowOf, chunkRowOf, headerOf, outcomeOf, referenceOf } from '../../helpers/data/factories.ts';
import { startStore, type WalkStore } from './azurite.ts';

const CHUNKS = 5;
const ITEMS = 4;
/** The concurrent processes, and the chunks that each of them ends; the same end may be applied any number of times. */
const walks = fc.array(
  fc.array(fc.array(fc.nat({ max: CHUNKS - 1 }), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
  { minLength: 1, maxLength: 6 },
);

let store: WalkStore;
let table: TableClient;
beforeAll(async () => {
  store = await startStore();
  table = await store.table('batches');
});
afterAll(() => store.stop());

/** The stored outcome of a chunk; every second one has a retry, which succeeds. */
const storedOutcome = (chunk: string): ReportedOutcome => {
  if (chunk.includes('.r')) return outcomeOf(chunk, headerOf({ items: 1 }));
  return outcomeOf(chunk, headerOf(Number(chunk) % 2 === 0 ? { retried: 1, dead: 1 } : {}));
};

async function accept(): Promise<string> {
  const id = newBatchId(Date.UTC(2026, 0, 1));
  const chunks = Array.from({ length: CHUNKS }, (_, position) => {
    const chunk = chunkId(position);
    return chunkRowOf({ batch: id, chunk, items: ITEMS, reference: referenceOf({ batch: id, chunk }) });
  });
  await insertBatch(table, batchRowOf({ id, accepted: CHUNKS * ITEMS, chunksTotal: CHUNKS }), chunks);
  return id;
}

/** Pending chunks, and whether accepted = succeeded + dead + cancelled + the items of the pending chunks. */
async function look(id: string): Promise<{ pending: string[]; law: boolean }> {
  const batch = await readBatch(table, id);
  const pending: string[] = [];
  let waiting = 0;
  for await (const row of chunkRows(table, id, { state: 'pending' })) {
    pending.push(row.chunk);
    waiting += row.items;
  }
  const { accepted = 0, succeeded = 0, dead = 0, cancelled = 0 } = batch?.row ?? {};
  return { pending, law: accepted === succeeded + dead + cancelled + waiting };
}

const apply = (id: string, chunks: string[]) =>
  applyOutcomes(table, id, chunks.map(storedOutcome), { at: '2026-01-01T00:00:00.000Z' });

test('the conservation law holds at each read when concurrent processes apply ends on a real store', async () => {
  await fc.assert(
    fc.asyncProperty(walks, async (steps) => {
      const id = await accept();
      for (const collectors of steps) {
        await Promise.all(collectors.map((positions) => apply(id, positions.map(chunkId))));
        expect((await look(id)).law).toBe(true);
      }
      for (let left = await look(id); left.pending.length > 0; left = await look(id)) await apply(id, left.pending);

      expect((await look(id)).law).toBe(true);
      // Three of five chunks have a dead letter, and end another item in a separate chunk.
      expect((await readBatch(table, id))?.row).toMatchObject({
        succeeded: 17,
        dead: 3,
        chunksTotal: 8,
        chunksDone: 8,
      });
    }),
    { numRuns: Number(process.env.SLUICE_WALKS ?? 15) },
  );
});
