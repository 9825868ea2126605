import type { DeadLettersOfBatches } from '../api/types.ts';

/** A cause in one workload, with its batches. */
export type CauseOfWorkload = DeadLettersOfBatches['groups'][number];
export type BatchOfCause = CauseOfWorkload['batches'][number];

/** An action on a cause in all its batches. */
export interface AskedOfBatches {
  kind: 'redrive' | 'discard';
  group: CauseOfWorkload;
}
