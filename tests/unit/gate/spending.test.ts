import { describe, expect, it } from 'vitest';
import { readDrainRecord } from '../../../shared/cost/drains/drain-spending.ts';
import { createMeter, type Meter } from '../../../shared/cost/meter.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import { createSpending, leaveTo, type SpendingWrite } from '../../../shared/gate/spending.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const QUEUE = 'billing-normal-0';

function world() {
  const meter: Meter = createMeter();
  const { table } = memoryTable();
  const spending = createSpending(meter);
  const write = async (fields: Partial<SpendingWrite> = {}) => {
    const gate = await readGate(table, QUEUE);
    return spending.writeGate(table, gate, { generation: 1, ...fields });
  };
  const recorded = async () => (await readGate(table, QUEUE)).row.spent.map(readDrainRecord);
  return { meter, table, spending, write, recorded };
}

describe('the operations for a queue', () => {
  it('are recorded with the write of its gate, which counts itself and what follows it', async () => {
    const { meter, spending, write, recorded } = world();

    await spending.within(QUEUE, async () => {
      meter.count('table.get', 2);
      await write({ after: { 'servicebus.send': 1 }, uncounted: { 'durable.action': 2 }, chunks: 3, received: true });
      meter.count('table.insert');
      meter.count('servicebus.send');
    });
    await spending.within(QUEUE, () => write());

    expect(await recorded()).toEqual([
      {
        ...{ generation: 1, chunks: 3, received: true },
        operations: { 'table.get': 2, 'table.insert': 1, 'servicebus.send': 1, 'durable.action': 2, 'table.update': 1 },
      },
    ]);
  });

  it('are recorded later if they could not be foreseen, and if the work failed', async () => {
    const { meter, spending, write, recorded } = world();

    await spending.within(QUEUE, async () => {
      await write();
      // Its first try was lost.
      meter.count('table.insert', 2);
    });
    const failing = spending.within(
      QUEUE,
      async () => {
        meter.count('table.get');
        throw new Error('503');
      },
      { 'queue.get': 4 },
    );
    await expect(failing).rejects.toThrow('503');
    spending.add(QUEUE, { 'queue.delete': 1 });
    // The repeat brings the same slices.
    await spending.within(QUEUE, () => write(), { 'queue.get': 4 });

    const [{ operations } = { operations: {} }] = await recorded();
    expect(operations).toEqual({
      'table.insert': 2,
      'table.get': 1,
      'queue.delete': 1,
      'queue.get': 4,
      'table.update': 1,
    });
  });

  it('are not recorded by a write that lost its race', async () => {
    const { table, spending, write, recorded } = world();
    const stale = await readGate(table, QUEUE);
    await spending.within(QUEUE, () => write());

    const isWritten = await spending.within(QUEUE, () => spending.writeGate(table, stale, { generation: 1 }));

    expect(isWritten).toBe(false);
    expect(await recorded()).toMatchObject([{ operations: { 'table.insert': 1 } }]);
  });

  it('are not also charged to the caller that waits for them', async () => {
    const { meter, spending, write } = world();
    spending.add(QUEUE, { 'servicebus.receive': 1 });

    const request = await meter.measure(async () => {
      meter.count('blob.get');
      await spending.within(QUEUE, async () => {
        await write();
        // Its first try was lost.
        meter.count('table.insert', 2);
      });
      const failing = spending.within(QUEUE, async () => {
        meter.count('table.get');
        throw new Error('503');
      });
      await expect(failing).rejects.toThrow('503');
    });

    expect(request.unrecorded).toEqual({ 'blob.get': 1 });
  });

  it('include the operations that a request leaves to it', async () => {
    const { meter, spending, write, recorded } = world();

    const request = await meter.measure(async () => {
      meter.count('table.query');
      leaveTo(QUEUE, { meter, spending });
    });
    await spending.within(QUEUE, () => write());

    expect(request.unrecorded).toEqual({});
    expect(await recorded()).toMatchObject([{ operations: { 'table.query': 1, 'table.insert': 1 } }]);
  });
});
