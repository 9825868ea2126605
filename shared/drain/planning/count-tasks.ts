/** How many tasks a wave gets. Pure, and without imports that a browser could not load: the dashboard plans with it, too. */

import type { WaveBound } from '../../wake/gate/wave-record.ts';
import { MAX_RECEIVE } from '../../wake/max-receive.ts';
import type { Policy } from './policy.ts';

/** What can bound the tasks of a wave that is no probe and collects no results. */
export type TaskBound = Exclude<WaveBound, 'probe' | 'collector'>;

/** What the tasks are counted by. Work counts, not messages: twenty heavy chunks are worth more tasks than twenty light ones. */
export interface TaskState {
  /** References in the queue, an upper bound that includes invisible ones. */
  depth: number;
  itemsPerReference: number;
  secondsPerReference: number;
  policy: Policy;
  /** Lowered by throttling; 0 = no limit but the policy's. */
  taskLimit: number;
  /** Tasks that the limits of the workload can feed; Infinity = it has none. */
  fedTasks: number;
  /** Most tasks while the instances are saturated; Infinity = they are not. */
  saturationLimit: number;
  /** A bulk lane leaves the policy's headroom free. */
  bulk: boolean;
  /** The oldest batch would miss its deadline at the present rate: everything that may be used is used. */
  late: boolean;
}

/** Tasks that the thresholds allow for `depth` waiting items. */
export function tasksForDepth(depth: number, thresholds: Policy['thresholds']): number {
  if (depth <= 0) return 0;
  return thresholds.find(({ below }) => below === undefined || depth < below)?.tasks ?? 1;
}

/**
 * Seconds that a reference takes of a task's time. An interval between receives makes that longer than the work itself:
 * a task gets at most one receive per interval.
 */
export const pacedSeconds = (
  secondsPerReference: number,
  { receiveSize = MAX_RECEIVE, receiveIntervalMs = 0 }: Pick<Policy, 'receiveSize' | 'receiveIntervalMs'>,
): number => Math.max(secondsPerReference, receiveIntervalMs / 1000 / receiveSize);

/**
 * The number of tasks, and what has bounded it. Of several equal bounds it names the one that an operator can change
 * least: where three messages wait, another policy does not lead to more than three tasks.
 */
export function countTasks(state: TaskState): { tasks: number; bound: TaskBound } {
  const { policy, depth } = state;
  const bounds: [TaskBound, number][] = [
    ['depth', depth],
    ['throttling', state.taskLimit > 0 ? state.taskLimit : Number.POSITIVE_INFINITY],
    ['limits', state.fedTasks],
    ['saturation', state.saturationLimit],
    ['capacity', state.bulk ? Math.max(1, Math.floor(policy.capacity * (1 - policy.headroom))) : policy.capacity],
  ];
  if (!state.late) {
    const seconds = depth * pacedSeconds(state.secondsPerReference, policy);
    bounds.push(['rule', tasksForDepth(depth * state.itemsPerReference, policy.thresholds)]);
    bounds.push(['work', Math.ceil(seconds / policy.targetSeconds)]);
  }
  const [bound, least] = bounds.reduce((lowest, each) => (each[1] < lowest[1] ? each : lowest));
  return { tasks: Math.max(1, least), bound };
}
