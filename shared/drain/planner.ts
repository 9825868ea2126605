import { limitOf } from '../limits/limit.ts';
import { fromEntity } from '../storage/entity.ts';
import { readEntity, type Table } from '../storage/table.ts';
import { GATES_PARTITION, type GateRow, policyRowKey } from '../wake/gate-row.ts';
import type { Workload } from '../workload/define.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { SAFE_FRACTION } from './adapt.ts';
import { planWave, type Wave } from './plan.ts';
import { DEFAULT_POLICY, type Policy, policySchema } from './policy.ts';

export interface PlannerOptions {
  table: Table;
  sliceSeconds: number;
  visibilitySeconds: number;
  /** Dequeue tasks that all instances can run at a time. */
  capacity: number;
  /** Service time in milliseconds. */
  now: () => number;
}

/** The policy of a queue: the default until an operator has put one. */
export async function readPolicy(
  { table, capacity }: Pick<PlannerOptions, 'table' | 'capacity'>,
  gate: Pick<GateRow, 'queue' | 'policyVersion'>,
): Promise<Policy> {
  const usual = { ...DEFAULT_POLICY, capacity };
  if (gate.policyVersion === 0) return usual;
  const entity = await readEntity(table, GATES_PARTITION, policyRowKey(gate.queue));
  return entity ? policySchema.parse(fromEntity('policy', entity).policy) : usual;
}

/** Sizes the next wave of a queue from what its gate has measured. */
export function createPlanner({ table, sliceSeconds, visibilitySeconds, capacity, now }: PlannerOptions) {
  return async ({ workload, lane, kind }: QueueAddress, gate: GateRow, depth: number): Promise<Wave> =>
    planWave({
      kind,
      depth,
      itemsPerReference: workload.chunk.maxItems,
      secondsPerReference: gate.secondsPerReference || workload.secondsPerChunk,
      policy: await readPolicy({ table, capacity }, gate),
      taskLimit: gate.taskLimit,
      fedTasks: fedTasks(workload, gate),
      bulk: lane === 'bulk',
      late: isLate(gate, { depth, deadlineSeconds: workload.deadlineSeconds, nowMs: now() }),
      exploring: gate.taskLimit > 0 && gate.taskLimit < Math.floor(gate.pressedAt * SAFE_FRACTION),
      probe: gate.paused?.by === 'circuit',
      sliceSeconds,
      visibilitySeconds,
      wakes: gate.wakes,
    });
}

/**
 * Tasks that the limits of a workload can feed: as measured, before that by Little's law: what is in progress is what begins
 * per second times how long it takes.
 */
function fedTasks(workload: Workload, gate: Pick<GateRow, 'fedTasks'>): number {
  const limit = limitOf(workload);
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (gate.fedTasks > 0) return gate.fedTasks;
  const { chunk, secondsPerChunk, concurrency } = workload;
  const chunksPerSecond = limit.itemsPerSecond / chunk.maxItems;
  const byInFlight = (limit.maxInFlight ?? Number.POSITIVE_INFINITY) / (concurrency * limit.itemsPerCall);
  return Math.max(1, Math.ceil(Math.min(chunksPerSecond * secondsPerChunk, byInFlight)));
}

/** Whether the oldest batch would miss its deadline if the queue went on as in its last wave. */
export function isLate(
  gate: Pick<GateRow, 'oldestAt' | 'secondsPerReference' | 'waveTasks'>,
  { depth, deadlineSeconds, nowMs }: { depth: number; deadlineSeconds: number; nowMs: number },
): boolean {
  if (gate.oldestAt === '') return false;
  const secondsLeft = (depth * gate.secondsPerReference) / Math.max(1, gate.waveTasks);
  return nowMs + secondsLeft * 1000 > Date.parse(gate.oldestAt) + deadlineSeconds * 1000;
}
