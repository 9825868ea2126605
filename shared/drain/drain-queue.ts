/**
 * The orchestration that empties one queue: waves of dequeue tasks, and `finish-wave` after each. It only decides, and
 * it is disposable: all state is in the queue, the gate and the ledger, so that it may fail or be replaced at any
 * moment.
 */
import type { OrchestrationContext, Task } from 'durable-functions';
import { RetryOptions } from 'durable-functions';
import type { Wave } from '../gate/planning/plan.ts';
import { emptySlice, MAX_WAVE_TASKS, type SliceResult } from '../gate/planning/slice-result.ts';
import type { FinishWaveInput, FinishWaveOutput } from './activities.ts';
import type { DequeueInput } from './task-heartbeat.ts';

/** Number of waves after which the history is cut, since a replay reads all of it. Large waves cut it earlier. */
const WAVES_PER_EXECUTION = 5;
/** Maximum length of the error that a failing drain passes on to its log line. */
const MAX_ERROR_CHARS = 500;

/** The input of a drain. It is always an object, since the library mangles text inputs when it continues as new. */
export interface DrainInput {
  queue: string;
  generation: number;
  wave: Wave;
}

/** Handler of orchestration `drain-queue`. */
export function* drainQueue(context: OrchestrationContext): Generator<unknown, void, unknown> {
  const { queue, generation, wave } = context.df.getInput<DrainInput>() as DrainInput;
  let next: Wave | undefined = wave;
  for (let count = 0, tasks = 0; next !== undefined && count < WAVES_PER_EXECUTION; count += 1) {
    tasks += next.tasks;
    if (count > 0 && tasks > MAX_WAVE_TASKS) break;
    const { wakes, depth, bound, late }: Wave = next;
    const slices = yield* runWave(context, { queue, generation, wave: next });
    try {
      const input: FinishWaveInput = { queue, generation, slices, wakes, depth, bound, late };
      const step = (yield finishWave(context, input)) as FinishWaveOutput;
      next = step.next;
    } catch (error) {
      // The last act of a drain that cannot continue: it tries to release the gate, with a wake in one minute.
      const abandon = String(error).slice(0, MAX_ERROR_CHARS);
      const last: FinishWaveInput = { queue, generation, slices: [], wakes, abandon };
      yield context.df.callActivity('finish-wave', last);
      throw error;
    }
  }
  if (next !== undefined) context.df.continueAsNew({ queue, generation, wave: next } satisfies DrainInput);
}

/**
 * Runs a wave until its last task has ended. `Task.all` ends at the first task that fails (because its worker has died:
 * the activity itself never throws) while other tasks still process the queue. Therefore the others are awaited one by
 * one, which schedules nothing again, and the failed task counts as a fault. If the drain ended instead, the queue
 * would stop for a minute, and the next drain would start while those tasks still run.
 */
function* runWave(context: OrchestrationContext, input: DrainInput): Generator<Task, SliceResult[], unknown> {
  const tasks = tasksOf(context, input);
  try {
    return (yield context.df.Task.all(tasks)) as SliceResult[];
  } catch {
    const slices: SliceResult[] = [];
    for (const task of tasks) slices.push(yield* sliceOf(task));
    return slices;
  }
}

function* sliceOf(task: Task): Generator<Task, SliceResult, unknown> {
  try {
    return (yield task) as SliceResult;
  } catch {
    return emptySlice('fault');
  }
}

function tasksOf(context: OrchestrationContext, { queue, generation, wave: all }: DrainInput) {
  const { wakes: _wakes, bound: _bound, late: _late, ...wave } = all;
  return Array.from({ length: wave.tasks }, (_, index) =>
    context.df.callActivity('dequeue-batch', { queue, generation, task: `t${index}`, wave } satisfies DequeueInput),
  );
}

/** Tries five times in up to three minutes; then the drain abandons the gate, or the next wake finds it failed. */
const finishWave = (context: OrchestrationContext, input: FinishWaveInput) => {
  const retry = new RetryOptions(2_000, 5);
  retry.backoffCoefficient = 2;
  return context.df.callActivityWithRetry('finish-wave', retry, input);
};
