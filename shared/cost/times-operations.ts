import type { Operations } from '../contract/operations.ts';

/** Multiplies every count by n. */
export const timesOperations = (operations: Operations, n: number): Operations =>
  Object.fromEntries(Object.entries(operations).map(([name, count]) => [name, count * n]));

const STORAGE = new Set(['blob', 'queue', 'table']);

/** Returns the number of operations on storage. */
export const storageOperations = (operations: Operations): number =>
  Object.entries(operations).reduce((sum, [name, n]) => (STORAGE.has(name.split('.', 1)[0] ?? '') ? sum + n : sum), 0);

/** One message per item: enqueuing is one transaction, consuming two, get and delete (figures of the white paper). */
export const MESSAGE_PER_ITEM: Operations = { 'queue.put': 1, 'queue.get': 1, 'queue.delete': 1 };
