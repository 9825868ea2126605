/** Sizes a wave. Pure: its input contains everything that it considers. */

import { MAX_RECEIVE } from '../../contract/queue-limits.ts';
import type { WaveBound } from '../wave-record.ts';
import { countTasks, type TaskState } from './count-tasks.ts';

const EXPLORING_SECONDS = 5;

export interface PlanState extends TaskState {
  kind: 'items' | 'results';
  /** Whether the task limit is still rising: then waves are short, so that it reaches its value within a minute. */
  exploring: boolean;
  /** Whether the circuit is open: then one task tries one reference. */
  probe: boolean;
  sliceSeconds: number;
  visibilitySeconds: number;
  wakes: number;
}

/**
 * One wave: `tasks` dequeue tasks, each of which takes up to `quota` references, at most `receive` per receive. `depth`
 * and `wakes` are the messages and the counted wakes at the time of planning: a later wake may mean a message that the
 * tasks have missed.
 */
export interface Wave {
  depth: number;
  wakes: number;
  tasks: number;
  quota: number;
  receive: number;
  /** Minimum time in milliseconds from one receive of a task to its next; absent means 0. */
  receiveIntervalMs?: number;
  sliceSeconds: number;
  probe?: boolean;
  bound?: WaveBound;
  /** Tasks that it would have without the other queues of its pool; absent if it has as many. */
  wanted?: number;
  /** Whether it was planned for work that would miss its deadline; absent means false. */
  late?: boolean;
}

/** The part of a plan that the gate keeps when the wave has ended. */
export type PlanRecord = { [Field in 'depth' | 'bound' | 'late']?: Wave[Field] | undefined };

/** The part of a wave that a dequeue task needs: the rest would be in the history once per task. */
export type TaskWave = Omit<Wave, 'wakes' | 'bound' | 'late'>;

/**
 * Plans a wave.
 * tasks = min(rule over items waiting, ceil(work seconds / target seconds), references, capacity, room in the pool, the three
 * limits);
 * for late work without the first two.
 * receive = min(32 or the policy's value, what a task finishes in a slice and in half a visibility timeout, its quota;
 * for a single task the target replaces the quota if it is larger).
 * Fields with default values are omitted, which keeps the history of a drain short.
 */
export function planWave(state: PlanState): Wave {
  const { depth, wakes } = state;
  const { receiveSize = MAX_RECEIVE, receiveIntervalMs = 0 } = state.policy;
  // A short slice must not be shorter than the interval, or the interval would not be kept while a service throttles.
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
  // The only task of a wave may also receive messages that arrive in the meantime, up to the work that one task should
  // get; a collector does so until its end.
  const target = Math.ceil(state.policy.targetSeconds / Math.max(state.secondsPerReference, 0.001));
  const receive = Math.max(1, Math.min(receiveSize, inTime, tasks === 1 ? Math.max(quota, target) : quota));
  const most = state.kind === 'results' ? Number.MAX_SAFE_INTEGER : quota;
  return { ...common, tasks, quota: most, receive, bound };
}

const ONE_COLLECTOR = { tasks: 1, bound: 'collector' } as const;
