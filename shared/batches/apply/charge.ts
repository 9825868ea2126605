import { addOperations, type Operations } from '../../contract/operations.ts';
import { addOwnChunks } from '../../cost/own-drains.ts';
import type { BatchRow } from '../batch-row.ts';

/** A drain of a queue. */
export interface Drain {
  queue: string;
  generation: number;
}

/** Adds to a batch what ends of its chunks have cost, `own` work of the collector, and the drains for which it pays a part. */
export function charge(
  batch: BatchRow,
  ends: readonly { operations?: Operations; drain?: Drain | undefined }[],
  { own, collector }: { own: Operations; collector: Drain | undefined },
): void {
  batch.operations = ends
    .map(({ operations = {} }) => operations)
    .reduce(addOperations, addOperations(batch.operations, own));
  const drains = ends.flatMap(({ drain }) => [drain ?? [], collector ?? []].flat());
  for (const { queue, generation } of drains)
    batch.drains = addOwnChunks(batch.drains ?? {}, { queue, generation, chunks: 1 });
}
