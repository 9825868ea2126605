import type { Table } from '../../storage/table.ts';
import type { Workload } from '../../workload/define.ts';
import { limitOf } from '../../workload/limit.ts';
import type { QueueAddress, Registry } from '../../workload/registry.ts';
import { type GateRow, lastSignMs, SILENCE_MS } from '../gate-row.ts';
import { readGates } from '../gate-store.ts';
import { DEFAULT_POLICY, MAX_TASKS, type Policy } from '../policy.ts';
import { readStoredPolicy } from '../policy-store.ts';
import { pacedSeconds } from './count-tasks.ts';
import { type PlanState, planWave, type Wave } from './plan.ts';
import { type OtherWave, plannedTasks, shareOf } from './pool-share.ts';
import { SAFE_FRACTION } from './task-limit.ts';
import { latencyMs, saturationLimit, tasksAtOnce } from './wave-load.ts';

export interface PlannerOptions {
  table: Table;
  sliceSeconds: number;
  visibilitySeconds: number;
  registry: Pick<Registry, 'queue'>;
  /** The pool of this app; undefined for all pools. */
  pool: string | undefined;
  /** Activities that all instances together can run at the same time. */
  capacity: number;
  concurrentActivities: number;
  now: () => number;
}

/** Returns the policy of a queue for which no operator has stored one. */
export const initialPolicy = ({ capacity }: Pick<PlannerOptions, 'capacity'>): Policy => ({
  ...DEFAULT_POLICY,
  capacity: Math.min(MAX_TASKS, plannedTasks(capacity)),
});

/** Reads the policy of a queue; costs one operation if an operator has stored one. */
export const readPolicy = async (
  { table, capacity }: Pick<PlannerOptions, 'table' | 'capacity'>,
  gate: Pick<GateRow, 'queue' | 'policyVersion'>,
): Promise<Policy> => (await readStoredPolicy(table, gate))?.policy ?? initialPolicy({ capacity });

/**
 * Creates the planner, which sizes the next wave of a queue from the measurements in its gate, and from the waves of the
 * other queues of its pool. It reads these with one query if the wave would have more than one task.
 */
export function createPlanner(options: PlannerOptions) {
  const { table, sliceSeconds, visibilitySeconds, capacity, concurrentActivities, now } = options;
  return async ({ workload, lane, kind }: QueueAddress, gate: GateRow, depth: number): Promise<Wave> => {
    const policy = await readPolicy({ table, capacity }, gate);
    const paced = { ...gate, secondsPerReference: pacedSeconds(gate.secondsPerReference, policy) };
    const state: PlanState = {
      kind,
      depth,
      itemsPerReference: workload.chunk.maxItems,
      secondsPerReference: gate.secondsPerReference || workload.secondsPerChunk,
      policy,
      taskLimit: gate.taskLimit,
      fedTasks: fedTasks(workload, gate),
      saturationLimit: saturationLimit(gate, concurrentActivities),
      room: Number.POSITIVE_INFINITY,
      bulk: lane === 'bulk',
      late: isLate(paced, { depth, deadlineSeconds: workload.deadlineSeconds, concurrentActivities, nowMs: now() }),
      exploring: gate.taskLimit > 0 && gate.taskLimit < Math.floor(gate.pressedAt * SAFE_FRACTION),
      probe: gate.paused?.by === 'circuit',
      sliceSeconds,
      visibilitySeconds,
      wakes: gate.wakes,
    };
    const alone = planWave(state);
    if (alone.tasks === 1) return alone;
    const places = Math.floor(plannedTasks(capacity) * (state.bulk ? 1 - policy.headroom : 1));
    const room = shareOf(places, await readOthers(options, gate.queue));
    return room >= alone.tasks ? alone : { ...planWave({ ...state, room }), wanted: alone.tasks };
  };
}

/**
 * Reads the present waves of the other queues of the pool. A collector uses the activities that no plan uses. A drain that
 * has been silent for too long is dead, or its tasks have ended.
 */
async function readOthers({ table, registry, pool, now }: PlannerOptions, queue: string): Promise<OtherWave[]> {
  const others: OtherWave[] = [];
  for (const gate of (await readGates(table, { held: true })).values()) {
    const address = registry.queue(gate.queue);
    if (gate.queue === queue || address?.kind !== 'items' || now() > lastSignMs(gate) + SILENCE_MS) continue;
    if (pool !== undefined && address.workload.pool !== pool) continue;
    const isPlanned = gate.aliveUntil !== '';
    others.push({
      tasks: gate.active,
      wanted: isPlanned ? Math.max(gate.active, gate.wanted) : Number.POSITIVE_INFINITY,
    });
  }
  return others;
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
