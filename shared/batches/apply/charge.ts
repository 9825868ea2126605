import { addOperations, type Operations } from '../../contract/operations.ts';
import { addDrainChunks } from '../../cost/drains/batch-drains.ts';
import type { BatchRow } from '../batch-row.ts';

/** A drain of a queue. */
export interface Drain {
  queue: string;
  generation: number;
}

/**
 * Charges a batch for the ends of its chunks: their operations, those of `collecting` them, and the drains of which it
 * pays a part.
 */
export function charge(
  batch: BatchRow,
  ends: readonly { operations?: Operations; drain?: Drain | undefined }[],
  { collecting, collector }: { collecting: Operations; collector: Drain | undefined },
): void {
  batch.operations = ends
    .map(({ operations = {} }) => operations)
    .reduce(addOperations, addOperations(batch.operations, collecting));
  const drains = ends.flatMap(({ drain }) => [drain ?? [], collector ?? []].flat());
  for (const { queue, generation } of drains)
    batch.drains = addDrainChunks(batch.drains ?? {}, { queue, generation, chunks: 1 });
}
