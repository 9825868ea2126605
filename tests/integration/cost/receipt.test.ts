import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addOperations, type Operations } from '../../../shared/contract/operations.ts';
import { type ReceiptStack, startReceiptStack } from './receipt-stack.ts';

const BUILD_MS = 180_000;
const RUN_MS = 150_000;

let stack: ReceiptStack;
let workloads = 0;

beforeAll(async () => {
  stack = await startReceiptStack();
  // The service's time, the policies, and the queues' threads: once per process.
  await stack.quiet([await stack.submit(nextWorkload(), itemsOf(1))]);
}, BUILD_MS);
afterAll(() => stack?.stop());

/** Each batch has queues of its own, that nobody has used. */
const nextWorkload = (): string => `call${workloads++}`;

const itemsOf = (count: number, f = 'ok') => Array.from({ length: count }, (_, n) => ({ n, k: 'a', v: 1, f }));

/** What the receipt has counted. */
async function countedFor(id: string): Promise<Operations> {
  const { operations, drainOperations, soFar } = await stack.receipt(id);
  expect(soFar).toBe(false);
  return storageOnly(addOperations(operations, drainOperations));
}

const storageOnly = (operations: Operations): Operations =>
  Object.fromEntries(Object.entries(operations).filter(([name]) => /^(blob|queue|table)\./.test(name)));

describe('the receipt of a batch that is alone says what storage has seen', () => {
  it.each([1, 4, 80, 800])('with %d items', { timeout: RUN_MS }, async (count) => {
    stack.take();
    const id = await stack.submit(nextWorkload(), itemsOf(count), `key${count}`);
    await stack.quiet([id]);

    const seen = stack.take();

    expect(await countedFor(id)).toEqual(seen);
  });
});
