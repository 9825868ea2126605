import type { BatchStore } from '../batches/remove-batch.ts';
import type { BatchEventDeps } from '../events/batch-events.ts';
import type { FinishWaveDeps } from '../gate/finish-wave.ts';
import type { Registry } from '../workload/registry.ts';
import type { Queue } from './messages.ts';

/** What the rooms above this one use, each created once, by `pipeline.ts`. A function picks what it needs. */
export interface Services
  extends BatchStore,
    BatchEventDeps,
    Pick<FinishWaveDeps, 'gate' | 'depthOf' | 'visibilitySeconds'> {
  registry: Registry;
  queues: (name: string) => Queue;
  /** Whether enough messages wait in a queue to wake it; called for uploads only, after the puts. */
  needsWake: (queue: string) => Promise<boolean>;
}
