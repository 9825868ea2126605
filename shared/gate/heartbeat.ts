/** Heartbeats: the sign that a drain is alive, and the decision that it is dead. */
import { fromEntity, toEntity } from '../storage/entity.ts';
import { defineRow, int32, text } from '../storage/row.ts';
import { odata, queryEntities, type Table } from '../storage/table.ts';
import { GATES_PARTITION, type GateRow, heartbeatRowKey, heartbeatRows, lastSignMs, SILENCE_MS } from './gate-row.ts';
import { type VersionedGate, writeGate } from './gate-store.ts';
import type { Wave } from './planning/plan.ts';

/** The heartbeat of a task: its generation of the gate, and the time until which it counts as alive. */
export const HEARTBEAT = defineRow('heartbeat', { generation: int32(), aliveUntil: text('') });

/** Status of an orchestration as the runtime reports it; undefined if the runtime does not know the instance. */
export type DrainStatus = 'Pending' | 'Running' | 'Suspended' | 'Completed' | 'Failed' | 'Terminated' | undefined;

export interface LivenessDeps {
  table: Table;
  /** Service time in milliseconds: two local clocks are never compared. */
  now: () => number;
  status: (instanceId: string) => Promise<DrainStatus>;
}

/**
 * Returns whether the drain that holds the gate is dead. The status `Running` alone proves nothing: an instance can
 * report it indefinitely.
 */
export async function isDead(deps: LivenessDeps, row: GateRow): Promise<boolean> {
  const status = await deps.status(row.instanceId);
  if (status === 'Failed' || status === 'Terminated' || status === 'Completed') return true;
  const silentSince = lastSignMs(row);
  // Unknown before its first heartbeat: the caller that acquired the gate may be about to start it.
  const silenceMs = status === undefined && row.aliveUntil !== '' ? 0 : SILENCE_MS;
  if (deps.now() <= silentSince + silenceMs) return false;
  // Tasks may work for longer than their wave was planned for.
  return deps.now() > (await latestHeartbeat(deps.table, row)) + silenceMs;
}

/** Returns until when a drain and its tasks count as alive, in milliseconds of service time: one query. */
export async function latestHeartbeat(table: Table, row: GateRow): Promise<number> {
  const { from, to } = heartbeatRows(row.queue);
  let latest = lastSignMs(row);
  const filter = odata`PartitionKey eq ${GATES_PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  for await (const entity of queryEntities(table, filter)) {
    const { generation, aliveUntil } = fromEntity(HEARTBEAT, entity);
    if (generation === row.generation) latest = Math.max(latest, Date.parse(aliveUntil) || 0);
  }
  return latest;
}

/**
 * Records the heartbeat of a task, in a separate row: many tasks write at the same time, and do not contend for one
 * ETag.
 */
export async function recordHeartbeat(
  table: Table,
  sign: { queue: string; task: string; generation: number; until: number },
): Promise<void> {
  const { queue, task, generation, until } = sign;
  const keys = { partitionKey: GATES_PARTITION, rowKey: heartbeatRowKey(queue, task) };
  await table.upsertEntity(
    toEntity(HEARTBEAT, keys, { generation, aliveUntil: new Date(until).toISOString() }),
    'Merge',
  );
}

/**
 * Records the heartbeat and the plan of a drain's first wave, which was planned after the gate had been acquired.
 * Returns false, without a write, if the gate already has a heartbeat or was changed in the meantime.
 */
export const showFirstWave = async (
  table: Table,
  { row, etag }: VersionedGate,
  {
    active,
    wanted = active,
    depth,
    until,
  }: { active: number; wanted?: number | undefined; depth: number; until: number },
): Promise<boolean> =>
  row.aliveUntil === '' &&
  (await writeGate(
    table,
    // The depth was measured, or reported by the wake, when the gate was acquired, to plan this wave.
    {
      ...row,
      active,
      wanted,
      depth,
      depthAt: row.acquiredAt,
      aliveUntil: new Date(until).toISOString(),
      startFailure: undefined,
    },
    etag,
  ));

/** The limits of the host that determine how long a healthy wave may be silent. */
export interface ActivityLimits {
  /** Activities that one instance runs at the same time. */
  concurrentActivities: number;
  /** Time after which the runtime hands an activity of a crashed instance to another one. */
  activityVisibilitySeconds: number;
}

/** slice x ceil(tasks / activities of one instance) + activity visibility + 2 slices: a healthy wave is never taken for dead. */
export const waveSeconds = (host: ActivityLimits, wave: Pick<Wave, 'tasks' | 'sliceSeconds'>): number =>
  wave.sliceSeconds * (Math.ceil(wave.tasks / host.concurrentActivities) + 2) + host.activityVisibilitySeconds;
