import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addOperations, type Operations, subtractOperations } from '../../../shared/contract/operations.ts';
import { batchSpending } from '../../../shared/cost/batch-operations.ts';
import { readDrainRecord } from '../../../shared/cost/drains/drain-spending.ts';
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

/** The operations on the receipt, once it is final. */
async function countedFor(id: string): Promise<Operations> {
  const { operations, drainOperations, soFar } = await stack.receipt(id);
  expect(soFar).toBe(false);
  return storageOnly(addOperations(operations, drainOperations));
}

const post = (path: string, body: unknown = {}, key?: string) =>
  stack.api(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
    body: JSON.stringify(body),
  });

describe('the receipt of a batch that runs alone contains the operations that storage has received', {
  timeout: RUN_MS,
}, () => {
  it.each([1, 4, 80, 800])('with %d items', async (count) => {
    stack.take();
    const id = await stack.submit(nextWorkload(), itemsOf(count), `key${count}`);
    await stack.quiet([id]);
    const seen = stack.take();

    expect(await countedFor(id)).toEqual(seen);
  });

  it.each([1, 24])('and that were estimated, with %d items on queues that were used before', async (count) => {
    const workload = nextWorkload();
    await stack.quiet([await stack.submit(workload, itemsOf(1))]);
    const id = await stack.submit(workload, itemsOf(count), `estimated${count}`);
    await stack.quiet([id]);

    const estimated = batchSpending({ items: count, itemsPerChunk: 4, secondsPerChunk: 0.05 });
    const { 'table.query': queries = 0, ...counted } = await countedFor(id);
    const { 'table.query': expected = 0, ...others } = storageOnly(estimated);
    expect(counted).toEqual(others);
    // The policies of the queues are read again after a minute.
    expect([expected, expected + 1]).toContain(queries);
    const { actions, executions } = await stack.receipt(id);
    expect([actions, executions.count]).toEqual([estimated['durable.action'], estimated['functions.execution']]);
  });

  it('with items that fail, are tried again and become dead letters', async () => {
    stack.take();
    const id = await stack.submit(nextWorkload(), itemsOf(30, 'ok', 'once', 'reject', 'never', 'invalid'));
    await stack.quiet([id], { stepMs: 5_000 });
    const seen = stack.take();

    expect((await stack.row(id)).retried).toBeGreaterThan(0);
    expect(await countedFor(id)).toEqual(seen);
  });

  it('when its dead letters are redriven and then discarded', async () => {
    stack.take();
    const id = await stack.submit(nextWorkload(), itemsOf(30, 'ok', 'reject'));
    await stack.quiet([id]);
    await post(`batches/${id}/dead-letters/redrive`, {}, 'once more');
    await stack.quiet([id]);
    await post(`batches/${id}/dead-letters/discard`, { reason: 'a test' }, 'enough');
    await stack.quiet([id]);
    const seen = stack.take();

    expect(await stack.row(id)).toMatchObject({ revision: 2, discarded: 15 });
    expect(await countedFor(id)).toEqual(seen);
  });

  it('when it is cancelled', async () => {
    stack.take();
    const id = await stack.submit(nextWorkload(), itemsOf(800, 'waits'));
    await post(`batches/${id}/cancel`);
    await stack.quiet([id]);
    const seen = stack.take();

    expect((await stack.row(id)).cancelled).toBeGreaterThan(0);
    expect(await countedFor(id)).toEqual(seen);
  });

  it('when it is paused and resumed', async () => {
    stack.take();
    const id = await stack.submit(nextWorkload(), itemsOf(800, 'waits'));
    await post(`batches/${id}/pause`, { reason: 'a test' });
    await post(`batches/${id}/resume`, { since: (await stack.row(id)).paused?.at });
    await stack.quiet([id]);
    const seen = stack.take();

    expect((await stack.row(id)).resumes).toBe(1);
    expect(await countedFor(id)).toEqual(seen);
  });

  it.each([5, 7])('when the response to each %dth call is lost and the call is repeated', async (nth) => {
    stack.take();
    let calls = 0;
    stack.setFault(() => {
      calls += 1;
      return calls % nth === 0 ? { kind: 'lostReply' } : undefined;
    });
    const workload = nextWorkload();
    const id = await stack.submit(workload, itemsOf(40));
    await stack.quiet([id]);
    stack.setFault(undefined);
    // The next drain records the repeat of a drain's last write.
    const next = await stack.submit(workload, itemsOf(4));
    await stack.quiet([next]);
    const seen = stack.take();

    expect(storageOnly(addOperations(await countedFor(id), await countedFor(next)))).toEqual(seen);
  });
});

/** The spending of the drains of all queues of a workload. */
async function spentOf(workload: string): Promise<Operations> {
  const gates = [...(await stack.gates()).values()].filter(({ queue }) => queue.startsWith(`${workload}-`));
  return storageOnly(
    gates.flatMap(({ spent }) => spent.map((record) => readDrainRecord(record).operations)).reduce(addOperations, {}),
  );
}

const overheadNow = async (): Promise<Operations> => {
  const { process } = costSchema.parse(await (await stack.api('cost')).json());
  return storageOnly(Object.values(process.overhead).reduce(addOperations, {}));
};

describe('for several batches at the same time', { timeout: RUN_MS }, () => {
  it('the receipts and the named overhead sum to the operations that storage has received', async () => {
    const workload = nextWorkload();
    const first = await overheadNow();
    const before = await overheadNow();
    // A request is counted when it ends, so the next one shows it.
    const look = subtractOperations(before, first);
    stack.take();
    const ids = await Promise.all([1, 4, 20, 40, 40, 81].map((count) => stack.submit(workload, itemsOf(count))));
    await stack.quiet(ids);
    await post('sweep');
    await stack.quiet(ids);
    const seen = stack.take();
    const beside = subtractOperations(subtractOperations(await overheadNow(), before), look);

    const receipts = await Promise.all(ids.map((id) => stack.receipt(id)));
    const own = receipts.map(({ operations }) => operations).reduce(addOperations, {});
    const shares = receipts.map(({ drainOperations }) => drainOperations).reduce(addOperations, {});
    const spent = await spentOf(workload);
    const drains = subtractOperations(spent, storageOnly(shares));
    expect(storageOnly([own, shares, drains, beside].reduce(addOperations))).toEqual(seen);
    for (const n of Object.values(drains)) expect(Math.abs(n)).toBeLessThan(1);
  });

  it('each of many small batches is charged a part of the shared work, and none all of it', async () => {
    const workload = nextWorkload();
    const ids: string[] = [];
    for (let nth = 0; nth < 30; nth += 1) ids.push(await stack.submit(workload, itemsOf(3)));
    await stack.quiet(ids);

    const receipts = await Promise.all(ids.map((id) => stack.receipt(id)));
    const all = receipts.map(({ operations, drainOperations }) =>
      Object.values(storageOnly(addOperations(operations, drainOperations))).reduce((sum, n) => sum + n, 0),
    );
    const mean = all.reduce((sum, n) => sum + n, 0) / all.length;
    expect(Math.max(...all)).toBeLessThan(2 * mean);
    expect(Math.min(...all)).toBeGreaterThan(mean / 2);
  });
});
