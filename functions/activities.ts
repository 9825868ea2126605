/** Registers the activities that the orchestration of drain-queue.ts calls. */
import * as df from 'durable-functions';
import type { FinishWaveInput } from '../shared/drain/activities.ts';
import type { DequeueInput } from '../shared/drain/task-heartbeat.ts';
import type { Registration } from './app.ts';

export function registerActivities({ invoke, pipeline }: Registration): void {
  df.app.activity('dequeue-batch', {
    handler: (input: DequeueInput, context) =>
      invoke('drains', context, () => pipeline.activities().dequeueBatch(input)),
  });
  df.app.activity('finish-wave', {
    handler: (input: FinishWaveInput, context) =>
      invoke('drains', context, () => pipeline.activities().finishWave(input)),
  });
}
