/**
 * Computes the number of tasks of a wave. Pure, and without imports that a browser could not load, because the
 * dashboard plans with it, too.
 */

import { MAX_RECEIVE } from '../../contract/queue-limits.ts';
import type { Policy } from '../policy.ts';
import type { WaveBound } from '../wave-record.ts';
import { MAX_WAVE_TASKS } from './slice-result.ts';

/** What can limit the number of tasks of a wave that is no probe and collects no results. */
export type TaskBound = Exclude<WaveBound, 'probe' | 'collector'>;

/** Work counts, not messages: twenty expensive chunks justify more tasks than twenty cheap ones. */
export interface TaskState {
  /** References in the queue, an upper bound that includes invisible ones. */
  depth: number;
  itemsPerReference: number;
  secondsPerReference: number;
  policy: Policy;
  /** Limit from throttling; 0 means no limit except the policy's. */
  taskLimit: number;
  /** Tasks that the limits of the workload can feed; Infinity if it has none. */
  fedTasks: number;
  /** Maximum number of tasks while the instances are saturated; Infinity if they are not. */
  saturationLimit: number;
  /** Tasks that the other queues of the pool leave to this one; Infinity before they are read. */
  room: number;
  /** Whether the lane is `bulk`, which leaves the policy's headroom free. */
  bulk: boolean;
  /** Whether the oldest batch would miss its deadline at the present rate: then everything that is allowed is used. */
  late: boolean;
}

/** Returns the tasks that the thresholds allow for `depth` waiting items. */
export function tasksForDepth(depth: number, thresholds: Policy['thresholds']): number {
  if (depth <= 0) return 0;
  return thresholds.find(({ below }) => below === undefined || depth < below)?.tasks ?? 1;
}

/**
 * Returns the seconds of a task's time per reference. An interval between receives makes it longer than the work
 * itself, since a task gets at most one receive per interval.
 */
export const pacedSeconds = (
  secondsPerReference: number,
  { receiveSize = MAX_RECEIVE, receiveIntervalMs = 0 }: Pick<Policy, 'receiveSize' | 'receiveIntervalMs'>,
): number => Math.max(secondsPerReference, receiveIntervalMs / 1000 / receiveSize);

/**
 * Computes the number of tasks, and what limited it. If several bounds are equal, it returns the one that an operator
 * can change least: if three messages wait, no policy leads to more than three tasks.
 */
export function countTasks(state: TaskState): { tasks: number; bound: TaskBound } {
  const { policy, depth } = state;
  const share = state.bulk ? 1 - policy.headroom : 1;
  const bounds: [TaskBound, number][] = [
    ['depth', depth],
    ['throttling', state.taskLimit > 0 ? state.taskLimit : Number.POSITIVE_INFINITY],
    ['limits', state.fedTasks],
    ['saturation', state.saturationLimit],
    ['pool', state.room],
    ['capacity', Math.min(MAX_WAVE_TASKS, Math.max(1, Math.floor(policy.capacity * share)))],
  ];
  if (!state.late) {
    const seconds = depth * pacedSeconds(state.secondsPerReference, policy);
    bounds.push(['rule', tasksForDepth(depth * state.itemsPerReference, policy.thresholds)]);
    bounds.push(['work', Math.ceil(seconds / policy.targetSeconds)]);
  }
  const [bound, least] = bounds.reduce((lowest, each) => (each[1] < lowest[1] ? each : lowest));
  return { tasks: Math.max(1, least), bound };
}
