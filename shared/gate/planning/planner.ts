import type { Table } from '../../storage/table.ts';
import type { Workload } from '../../workload/define.ts';
import { limitOf } from '../../workload/limit.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { GateRow } from '../gate-row.ts';
import { DEFAULT_POLICY, type Policy } from '../policy.ts';
import { readStoredPolicy } from '../policy-store.ts';
import { pacedSeconds } from './count-tasks.ts';
import { planWave, type Wave } from './plan.ts';
import { SAFE_FRACTION } from './task-limit.ts';
import { latencyMs, saturationLimit, tasksAtOnce } from './wave-load.ts';

export interface PlannerOptions {
  table: Table;
  sliceSeconds: number;
  visibilitySeconds: number;
  /** Dequeue tasks that all instances together can run at the same time. */
  capacity: number;
  concurrentActivities: number;
  now: () => number;
}

/** Returns the policy of a queue for which no operator has stored one. */
export const initialPolicy = ({ capacity }: Pick<PlannerOptions, 'capacity'>): Policy => ({
  ...DEFAULT_POLICY,
  capacity,
});

/** Reads the policy of a queue; costs one operation if an operator has stored one. */
export const readPolicy = async (
  { table, capacity }: Pick<PlannerOptions, 'table' | 'capacity'>,
  gate: Pick<GateRow, 'queue' | 'policyVersion'>,
): Promise<Policy> => (await readStoredPolicy(table, gate))?.policy ?? initialPolicy({ capacity });

/** Creates the planner, which sizes the next wave of a queue from the measurements in its gate. */
export function createPlanner(options: PlannerOptions) {
  const { table, sliceSeconds, visibilitySeconds, capacity, concurrentActivities, now } = options;
  return async ({ workload, lane, kind }: QueueAddress, gate: GateRow, depth: number): Promise<Wave> => {
    const policy = await readPolicy({ table, capacity }, gate);
    const paced = { ...gate, secondsPerReference: pacedSeconds(gate.secondsPerReference, policy) };
    return planWave({
      kind,
      depth,
      itemsPerReference: workload.chunk.maxItems,
      secondsPerReference: gate.secondsPerReference || workload.secondsPerChunk,
      policy,
      taskLimit: gate.taskLimit,
      fedTasks: fedTasks(workload, gate),
      saturationLimit: saturationLimit(gate, concurrentActivities),
      bulk: lane === 'bulk',
      late: isLate(paced, { depth, deadlineSeconds: workload.deadlineSeconds, concurrentActivities, nowMs: now() }),
      exploring: gate.taskLimit > 0 && gate.taskLimit < Math.floor(gate.pressedAt * SAFE_FRACTION),
      probe: gate.paused?.by === 'circuit',
      sliceSeconds,
      visibilitySeconds,
      wakes: gate.wakes,
    });
  };
}

/** Returns how many tasks the limits can feed: as measured; before that by Little's law (rate x duration). */
function fedTasks(workload: Workload, gate: Pick<GateRow, 'fedTasks'>): number {
  const limit = limitOf(workload);
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (gate.fedTasks > 0) return gate.fedTasks;
  const { chunk, secondsPerChunk, concurrency } = workload;
  const chunksPerSecond = limit.itemsPerSecond / chunk.maxItems;
  const byInFlight = (limit.maxInFlight ?? Number.POSITIVE_INFINITY) / (concurrency * limit.itemsPerCall);
  return Math.max(1, Math.ceil(Math.min(chunksPerSecond * secondsPerChunk, byInFlight)));
}

/**
 * Returns whether the oldest batch would miss its deadline at the rate of the last wave: its latency so far plus the
 * remaining time of the queue is longer than the deadline.
 */
export function isLate(
  gate: Pick<GateRow, 'oldestAt' | 'secondsPerReference' | 'waveTasks' | 'instances'>,
  options: { depth: number; deadlineSeconds: number; concurrentActivities: number; nowMs: number },
): boolean {
  const { depth, deadlineSeconds, concurrentActivities, nowMs } = options;
  if (gate.oldestAt === '') return false;
  const atOnce = Math.max(1, tasksAtOnce(gate.waveTasks, gate.instances, concurrentActivities));
  const secondsLeft = (depth * gate.secondsPerReference) / atOnce;
  return latencyMs(gate.oldestAt, nowMs) + secondsLeft * 1000 > deadlineSeconds * 1000;
}
