import type { Operations } from '../contract/operations.ts';

/** Multiplies every count by n. */
export const timesOperations = (operations: Operations, n: number): Operations =>
  Object.fromEntries(Object.entries(operations).map(([name, count]) => [name, count * n]));

const STORAGE = new Set(['blob', 'queue', 'table']);

/** Returns the number of operations on storage. */
export const storageOperations = (operations: Operations): number =>
  Object.entries(operations).reduce((sum, [name, n]) => (STORAGE.has(name.split('.', 1)[0] ?? '') ? sum + n : sum), 0);

/** The maximum number of messages that one receive returns (Azure Queue Storage). */
const MAX_RECEIVED = 32;

/**
 * Returns the operations of the baseline: one message per item, each put and deleted, and received 32 at a time. The white
 * paper counts a receive per message; full receives are the best that this design can do.
 */
export const messagePerItem = (items: number): Operations => ({
  'queue.put': items,
  'queue.get': Math.ceil(items / MAX_RECEIVED),
  'queue.delete': items,
});
