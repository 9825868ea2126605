/** Sizes a wave. Pure: everything that it weighs is in its input. */
import { type Policy, tasksForDepth } from './policy.ts';

/** A receive takes at most 32 messages (learn: get-messages). */
export const MAX_RECEIVE = 32;

const EXPLORING_SECONDS = 5;

/** What a wave is sized by. Work counts, not messages: twenty heavy chunks are worth more tasks than twenty light ones. */
export interface PlanState {
  kind: 'items' | 'results';
  /** References in the queue, an upper bound that includes invisible ones. */
  depth: number;
  itemsPerReference: number;
  secondsPerReference: number;
  policy: Policy;
  /** Lowered by throttling; 0 = no limit but the policy's. */
  taskLimit: number;
  /** Tasks that the limits of the workload can feed; Infinity = it has none. */
  fedTasks: number;
  /** A bulk lane leaves the policy's headroom free. */
  bulk: boolean;
  /** The task limit is still on its way: a wave is short, so that it gets there within a minute. */
  exploring: boolean;
  /** The oldest batch would miss its deadline at the present rate: everything that may be used is used. */
  late: boolean;
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
  sliceSeconds: number;
  probe: boolean;
}

/**
 * tasks = min(rule over items waiting, ceil(work seconds / target seconds), references, capacity, both limits).
 * receive = min(32, what a task does in a slice and in half a visibility timeout, its quota or, alone, the target).
 */
export function planWave(state: PlanState): Wave {
  const { depth, wakes, probe } = state;
  const sliceSeconds = state.exploring ? Math.min(state.sliceSeconds, EXPLORING_SECONDS) : state.sliceSeconds;
  if (probe) return { depth, wakes, tasks: 1, quota: 1, receive: 1, sliceSeconds, probe };
  const tasks = state.kind === 'results' ? 1 : countTasks(state);
  const quota = Math.max(1, Math.ceil(depth / tasks));
  const seconds = Math.min(sliceSeconds, state.visibilitySeconds / 2);
  const inTime = Math.floor(seconds / Math.max(state.secondsPerReference, 0.001));
  // The only task of a wave has no rivals: it may as well take what comes in meanwhile, up to the work that one task
  // should get; a collector does so to its end.
  const target = Math.ceil(state.policy.targetSeconds / Math.max(state.secondsPerReference, 0.001));
  const receive = Math.max(1, Math.min(MAX_RECEIVE, inTime, tasks === 1 ? Math.max(quota, target) : quota));
  const most = state.kind === 'results' ? Number.MAX_SAFE_INTEGER : quota;
  return { depth, wakes, tasks, quota: most, receive, sliceSeconds, probe };
}

function countTasks(state: PlanState): number {
  const { policy, depth } = state;
  const capacity = state.bulk ? Math.max(1, Math.floor(policy.capacity * (1 - policy.headroom))) : policy.capacity;
  const byRule = tasksForDepth(depth * state.itemsPerReference, policy.thresholds);
  const byWork = Math.ceil((depth * state.secondsPerReference) / policy.targetSeconds);
  const limit = state.taskLimit > 0 ? state.taskLimit : Number.POSITIVE_INFINITY;
  return Math.max(
    1,
    Math.min(state.late ? capacity : Math.min(byRule, byWork), depth, capacity, limit, state.fedTasks),
  );
}
