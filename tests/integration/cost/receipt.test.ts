import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addOperations, type Operations, subtractOperations } from '../../../shared/contract/operations.ts';
import { batchSpending, operationsOutsideDrains } from '../../../shared/cost/batch-operations.ts';
import { costSchema } from '../../../shared/http/cost/schemas.ts';
import { type ReceiptStack, startReceiptStack } from './receipt-stack.ts';

const BUILD_MS = 180_000;
const RUN_MS = 150_000;

let stack: ReceiptStack;
let workloads = 0;

beforeAll(async () => {
  stack = await startReceiptStack();
  // A process reads the service's time and the policies of the queues once.
  await stack.quiet([await stack.submit(nextWorkload(), itemsOf(1))]);
}, BUILD_MS);
afterAll(() => stack?.stop());
afterEach(() => stack.setFault(undefined));

/** Each scenario has its own, unused queues. */
const nextWorkload = (): string => `call${workloads++}`;

const itemsOf = (count: number, ...kinds: string[]) =>
  Array.from({ length: count }, (_, n) => ({ n, k: 'a', v: 1, f: kinds[n % kinds.length] ?? 'ok' }));

const storageOnly = (operations: Operations): Operations =>
  Object.fromEntries(
    Object.entries(operations)
      .filter(([name]) => /^(blob|queue|table)\./.test(name))
      .map(([name, n]) => [name, Math.round(n * 10) / 10]),
  );

/** The counted operations of all receipts, once they are final. */
async function countedFor(...ids: string[]): Promise<Operations> {
  const receipts = await Promise.all(ids.map((id) => stack.receipt(id)));
  expect(receipts.map(({ soFar }) => soFar)).toEqual(ids.map(() => false));
  return storageOnly(receipts.map(({ operations }) => operations).reduce(addOperations, {}));
}

/** The named overheads of the process. */
const overheads = async () => costSchema.parse(await (await stack.api('cost')).json()).process.overhead;

/**
 * Returns what a scenario costs: what storage has received, what the receipts count, and what the overheads contain. A
 * request is counted when it ends, so the look at the overheads before it is in the next look.
 */
async function costOf(run: () => Promise<string[]>) {
  const first = sumOf(await overheads());
  const before = sumOf(await overheads());
  const look = subtractOperations(before, first);
  stack.take();
  const ids = await run();
  const seen = stack.take();
  const overhead = subtractOperations(subtractOperations(sumOf(await overheads()), before), look);
  return { seen, counted: await countedFor(...ids), overhead, ids };
}

const sumOf = (named: Record<string, Operations>): Operations =>
  storageOnly(Object.values(named).reduce(addOperations, {}));

/** Expects that the receipts and the overheads of a scenario add up to what storage has received. */
async function expectToAddUp(run: () => Promise<string[]>): Promise<void> {
  const { seen, counted, overhead } = await costOf(run);
  expect(storageOnly(addOperations(counted, overhead))).toEqual(seen);
}

const post = (path: string, body: unknown = {}, key?: string) =>
  stack.api(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: JSON.stringify(body),
  });

describe('receipts and named overheads add up to the operations that storage has received', {
  timeout: RUN_MS,
}, () => {
  it.each([1, 4, 80, 800])('for a batch of %d items', async (count) => {
    await expectToAddUp(async () => {
      const id = await stack.submit(nextWorkload(), itemsOf(count), `key${count}`);
      await stack.quiet([id]);
      return [id];
    });
  });

  it('with items that fail, are tried again and become dead letters', async () => {
    await expectToAddUp(async () => {
      const id = await stack.submit(nextWorkload(), itemsOf(30, 'ok', 'once', 'reject', 'never', 'invalid'));
      await stack.quiet([id], { stepMs: 5_000 });
      expect((await stack.row(id)).retried).toBeGreaterThan(0);
      return [id];
    });
  });

  it('when dead letters are redriven and then discarded', async () => {
    await expectToAddUp(async () => {
      const id = await stack.submit(nextWorkload(), itemsOf(30, 'ok', 'reject'));
      await stack.quiet([id]);
      await post(`batches/${id}/dead-letters/redrive`, {}, 'once more');
      await stack.quiet([id]);
      await post(`batches/${id}/dead-letters/discard`, { reason: 'a test' }, 'enough');
      await stack.quiet([id]);
      expect(await stack.row(id)).toMatchObject({ revision: 2, discarded: 15 });
      return [id];
    });
  });

  it('when a batch is cancelled', async () => {
    await expectToAddUp(async () => {
      const id = await stack.submit(nextWorkload(), itemsOf(800, 'waits'));
      await post(`batches/${id}/cancel`);
      await stack.quiet([id]);
      expect((await stack.row(id)).cancelled).toBeGreaterThan(0);
      return [id];
    });
  });

  it('when a batch is paused and resumed', async () => {
    await expectToAddUp(async () => {
      const id = await stack.submit(nextWorkload(), itemsOf(800, 'waits'));
      await post(`batches/${id}/pause`, { reason: 'a test' });
      await post(`batches/${id}/resume`, { since: (await stack.row(id)).paused?.at });
      await stack.quiet([id]);
      expect((await stack.row(id)).resumes).toBe(1);
      return [id];
    });
  });

  it.each([5, 7])('when the response to each %dth call is lost and the call is repeated', async (nth) => {
    await expectToAddUp(async () => {
      let calls = 0;
      stack.setFault(() => {
        calls += 1;
        return calls % nth === 0 ? { kind: 'lostReply' } : undefined;
      });
      const id = await stack.submit(nextWorkload(), itemsOf(40));
      await stack.quiet([id]);
      stack.setFault(undefined);
      return [id];
    });
  });

  it('for several batches at the same time, and a sweep', async () => {
    const workload = nextWorkload();
    await expectToAddUp(async () => {
      const ids = await Promise.all([1, 4, 20, 40, 40, 81].map((count) => stack.submit(workload, itemsOf(count))));
      await stack.quiet(ids);
      await post('sweep');
      await stack.quiet(ids);
      return ids;
    });
  });
});

describe('the receipt of a batch that runs alone on queues that were used before', { timeout: RUN_MS }, () => {
  it.each([1, 24])(
    'counts what was estimated for it, and estimates what its drain costs, with %d items',
    async (count) => {
      const workload = nextWorkload();
      await stack.quiet([await stack.submit(workload, itemsOf(1))]);
      const shape = { items: count, itemsPerChunk: 4, secondsPerChunk: 0.05 };
      const { counted, overhead, ids } = await costOf(async () => {
        const id = await stack.submit(workload, itemsOf(count), `estimated${count}`);
        await stack.quiet([id]);
        return [id];
      });

      expect(counted).toEqual(storageOnly(operationsOutsideDrains(shape)));
      const { drainOperations, actions, executions } = await stack.receipt(String(ids[0]));
      // The policies of the queues are read again after a minute.
      const { 'table.query': _policies, ...drains } = overhead;
      expect(drains).toEqual(storageOnly(drainOperations));
      const estimated = batchSpending(shape);
      expect([actions, executions.count]).toEqual([estimated['durable.action'], estimated['functions.execution']]);
    },
  );
});
