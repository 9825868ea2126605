import { addOperations } from '../contract/operations.ts';
import { spentSoFar } from '../cost/account.ts';
import { type FinishWaveDeps, finishWave, releaseUnknownQueue } from '../gate/finish-wave.ts';
import type { PlanRecord, Wave } from '../gate/planning/plan.ts';
import type { SliceResult } from '../gate/planning/slice-result.ts';
import { summarize } from '../gate/planning/wave-summary.ts';
import { processClockMs } from '../limits/process-clock.ts';
import { log } from '../telemetry/log.ts';
import { type DequeueDeps, dequeue } from './dequeue-task.ts';
import type { DequeueInput } from './task-heartbeat.ts';

/** `wakes` and the plan belong to the wave that has ended. `abandon`: the error of a drain that cannot continue. */
export interface FinishWaveInput extends PlanRecord {
  queue: string;
  generation: number;
  slices: SliceResult[];
  wakes: number;
  abandon?: string;
}
/** `next` is absent if the drain ends. */
export interface FinishWaveOutput {
  next?: Wave;
}

export type ActivityDeps = FinishWaveDeps & DequeueDeps;

export type Activities = ReturnType<typeof createActivities>;

export function createActivities(deps: ActivityDeps) {
  return {
    /** Never throws: a task that fails ends with `fault`, and a later wave receives its messages again. */
    dequeueBatch: async (input: DequeueInput): Promise<SliceResult> => {
      const slice = await dequeue(deps, input, processClockMs());
      return { ...slice, operations: spentSoFar() };
    },
    finishWave: async (input: FinishWaveInput): Promise<FinishWaveOutput> => {
      const { queue, generation, slices, wakes, abandon: error, ...planned } = input;
      const address = deps.registry.queue(queue);
      if (!address) {
        log.warn('workload-not-deployed', { queue, generation });
        await releaseUnknownQueue(deps.gate.table, queue, generation);
        return {};
      }
      const abandon = error !== undefined;
      if (abandon) log.error('drain-failed', { queue, generation, error });
      const step = await finishWave(deps, { address, generation, wave: summarize(slices, wakes), planned, abandon });
      const operations = slices.map((slice) => slice.operations ?? {}).reduce(addOperations, spentSoFar());
      log.info('wave-finished', { queue, generation, tasks: slices.length, operations });
      if ('next' in step) return { next: step.next };
      log.info('drain-ended', { queue, generation, ended: step.ended });
      return {};
    },
  };
}
