import { expect, it } from 'vitest';
import type { BatchDrains } from '../../../../../shared/cost/drains/batch-drains.ts';
import { addSpent } from '../../../../../shared/cost/drains/drain-spending.ts';
import { archiveSpent } from '../../../../../shared/gate/drain-archive.ts';
import type { GateRow } from '../../../../../shared/gate/gate-row.ts';
import { changeGate, readGate } from '../../../../../shared/gate/gate-store.ts';
import { readDrainPart, readDrainParts } from '../../../../../shared/http/batches/view/drain-part.ts';
import { memoryTable } from '../../../../helpers/fakes/memory-table.ts';

const QUEUE = 'billing-normal-0';
const spentBy = (generation: number) => ({
  ...{ generation, chunks: 4, received: true },
  operations: { 'table.get': 8, 'queue.get': 4 },
});
const gatesOf = () => {
  const store = memoryTable();
  const { table } = store;
  const change = (fields: (row: GateRow) => Partial<GateRow>) => changeGate(table, QUEUE, fields);
  /** A drain that ends four chunks, with the effect of its last wave on the gate. */
  const drain = async (generation: number) => {
    const { row } = await readGate(table, QUEUE);
    const kept = await archiveSpent({ table, now: () => 0 }, row);
    await change(() => ({ generation, spent: addSpent(kept, spentBy(generation)) }));
  };
  return { store, table, change, drain };
};
const batchWith = (drains: BatchDrains | undefined) => ({ workload: 'billing', drains });

it('is read from the gate, or from the archive after its drains have left the gate', async () => {
  const { table, drain } = gatesOf();
  const own: BatchDrains = {
    [QUEUE]: [
      [2, 1],
      [3, 2],
    ],
  };
  const expected = { operations: { 'table.get': 6, 'queue.get': 3 }, isFinal: true };
  for (let generation = 1; generation <= 5; generation += 1) await drain(generation);
  expect(await readDrainPart(table, batchWith(own))).toEqual(expected);

  for (let generation = 6; generation <= 60; generation += 1) await drain(generation);

  expect((await readGate(table, QUEUE)).row.spent.map(([generation]) => generation)).not.toContain(3);
  expect(await readDrainPart(table, batchWith(own))).toEqual(expected);
  expect((await readDrainParts(table, new Date(0)))(own)).toEqual(expected.operations);
  expect((await readDrainParts(table, new Date(0)))(undefined)).toEqual({});
});

it('is not final while one of its drains holds the gate', async () => {
  const { table, change, drain } = gatesOf();
  await drain(1);
  await change(() => ({ status: 'draining' }));
  const own: BatchDrains = { [QUEUE]: [[1, 4]] };

  expect((await readDrainPart(table, batchWith(own))).isFinal).toBe(false);
  await change(() => ({ generation: 2 }));
  expect((await readDrainPart(table, batchWith(own))).isFinal).toBe(true);
});

it('is empty for a batch of an older version, without any operation', async () => {
  const { store, table } = gatesOf();
  store.before(async () => expect.fail('It has no drains to read.'));
  expect(await readDrainPart(table, batchWith(undefined))).toEqual({ operations: {}, isFinal: true });
});

it('counts once if a crash left the gate unchanged and the next drain archived one more', async () => {
  const { table, drain } = gatesOf();
  for (let generation = 1; generation <= 13; generation += 1) await drain(generation);
  const { row } = await readGate(table, QUEUE);
  await archiveSpent({ table, now: () => 0 }, row);
  await archiveSpent({ table, now: () => 0 }, { queue: QUEUE, spent: addSpent(row.spent, spentBy(14)) });
  await drain(14);
  const own: BatchDrains = {
    [QUEUE]: [
      [1, 2],
      [5, 4, 8],
    ],
  };

  // Half of the first drain, and of four drains with 16 chunks a quarter.
  const expected = { 'table.get': 4 + 8, 'queue.get': 2 + 4 };
  expect((await readDrainPart(table, batchWith(own))).operations).toEqual(expected);
  expect((await readDrainParts(table, new Date(0)))(own)).toEqual(expected);
});

it('counts once if a crash between the two writes caused a second archive row', async () => {
  const { table, drain } = gatesOf();
  for (let generation = 1; generation <= 17; generation += 1) await drain(generation);
  const { row } = await readGate(table, QUEUE);
  await archiveSpent({ table, now: () => 0 }, row);

  const share = await readDrainPart(table, batchWith({ [QUEUE]: [[1, 4]] }));
  expect(share.operations).toEqual({ 'table.get': 8, 'queue.get': 4 });
});
