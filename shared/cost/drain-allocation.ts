import type { Operations } from '../contract/operations.ts';
import { batchActions, drainOperations } from './batch-operations.ts';

/** What is known of a batch's chunks that have ended. */
export interface EndedChunks {
  chunksDone: number;
  handlerSeconds: number;
}

/** A batch's share of the drains, computed from the chunks that have ended; nothing before the first. */
export function drainAllocation({ chunksDone, handlerSeconds }: EndedChunks): {
  drainOperations: Operations;
  actions: number;
} {
  if (chunksDone === 0) return { drainOperations: {}, actions: 0 };
  const shape = { items: chunksDone, itemsPerChunk: 1, secondsPerChunk: handlerSeconds / chunksDone };
  return { drainOperations: drainOperations(shape), actions: batchActions(shape) };
}
