/** Sizes a wave. Pure: everything that it weighs is in its input. */

import type { WaveBound } from '../../wake/gate/wave-record.ts';
import { MAX_RECEIVE } from '../../wake/max-receive.ts';
import { countTasks, type TaskState } from './count-tasks.ts';

const EXPLORING_SECONDS = 5;

/** What a wave is sized by. */
export interface PlanState extends TaskState {
  kind: 'items' | 'results';
  /** The task limit is still on its way: a wave is short, so that it gets there within a minute. */
  exploring: boolean;
  /** The circuit is open: one task tries one reference. */
  probe: boolean;
  sliceSeconds: number;
  visibilitySeconds: number;
  /** Wakes that the gate has counted. */
  wakes: number;
}

/**
 * One wave: `tasks` dequeue tasks that each take `quota` references, at most `receive` at a time. `depth` is what
 * waited when it was planned, `wakes` what the gate had counted: a later wake may mean a message that its tasks have
 * missed.
 */
export interface Wave {
  depth: number;
  wakes: number;
  tasks: number;
  quota: number;
  receive: number;
  /** Shortest time in milliseconds from one receive of a task to its next; absent: 0. */
  receiveIntervalMs?: number;
  sliceSeconds: number;
  /** Absent: false. */
  probe?: boolean;
  /** What has bounded its tasks; absent: planned by an older version. */
  bound?: WaveBound;
  /** Planned for work that would miss its deadline; absent: false. */
  late?: boolean;
}

/** What the gate keeps of the plan of a wave that has ended. */
export type PlanRecord = { [Field in 'depth' | 'bound' | 'late']?: Wave[Field] | undefined };

/** What a dequeue task needs of its wave: the rest would be in the history once per task. */
export type TaskWave = Omit<Wave, 'wakes' | 'bound' | 'late'>;

/**
 * tasks = min(rule over items waiting, ceil(work seconds / target seconds), references, capacity, the three limits); when
 * late without the first two. receive = min(32 or the policy's, what a task does in a slice and in half a visibility
 * timeout, its quota or, alone, the target). Absent fields keep the history of a drain short.
 */
export function planWave(state: PlanState): Wave {
  const { depth, wakes } = state;
  const { receiveSize = MAX_RECEIVE, receiveIntervalMs = 0 } = state.policy;
  // A short slice must fit an interval, or the interval would not be kept while a service throttles.
  const shortest = Math.max(EXPLORING_SECONDS, receiveIntervalMs / 1000);
  const sliceSeconds = state.exploring ? Math.min(state.sliceSeconds, shortest) : state.sliceSeconds;
  const common = {
    ...{ depth, wakes, sliceSeconds },
    ...(receiveIntervalMs === 0 ? {} : { receiveIntervalMs }),
    ...(state.late ? { late: true } : {}),
  };
  if (state.probe) return { ...common, tasks: 1, quota: 1, receive: 1, probe: true, bound: 'probe' };
  const { tasks, bound } = state.kind === 'results' ? ONE_COLLECTOR : countTasks(state);
  const quota = Math.max(1, Math.ceil(depth / tasks));
  const seconds = Math.min(sliceSeconds, state.visibilitySeconds / 2);
  const inTime = Math.floor(seconds / Math.max(state.secondsPerReference, 0.001));
  // The only task of a wave has no rivals: it may as well take what comes in meanwhile, up to the work that one task
  // should get; a collector does so to its end.
  const target = Math.ceil(state.policy.targetSeconds / Math.max(state.secondsPerReference, 0.001));
  const receive = Math.max(1, Math.min(receiveSize, inTime, tasks === 1 ? Math.max(quota, target) : quota));
  const most = state.kind === 'results' ? Number.MAX_SAFE_INTEGER : quota;
  return { ...common, tasks, quota: most, receive, bound };
}

const ONE_COLLECTOR = { tasks: 1, bound: 'collector' } as const;
