/**
 * The gate: one row per queue, changed only by ETag; at most one drain holds it at a time.
 *
 * Invariant: a queue with visible messages has a drain that is alive, or a wake that is under way. No rule about the
 * data depends on it (docs/reliability.md).
 * The interleaving that would break it: a drain measures an empty queue; a reference is put, and its wake finds the
 * gate held; the drain releases the gate. Therefore a wake that finds the gate held is counted in the row, and a
 * release succeeds only if the count is still the one that was read before the queue was measured. A dead drain is
 * detected by its missing heartbeat. If it still runs after a take-over, the generation fences it.
 * Test: tests/faults/gate/gate.test.ts tries every order of these steps, with crashes and lost responses; its mutants
 * release without that comparison, and the test detects them.
 */
import type { Operations } from '../../contract/operations.ts';
import { START_EXECUTIONS } from '../../cost/executions.ts';
import { fromEntity, toEntity } from '../../storage/entity.ts';
import { LOST_RACE, retryLostRace } from '../../storage/lost-race.ts';
import { odata, queryEntities, readEntity, type Table } from '../../storage/table.ts';
import { writeRow } from '../../storage/write-row.ts';
import { log } from '../../telemetry/log.ts';
import { dueAfter, mergeDue } from './due.ts';
import {
  drainInstanceId,
  fromGateEntity,
  GATES_PARTITION,
  type GateRow,
  gateRowKey,
  heartbeatRowKey,
  heartbeatRows,
  lastSignMs,
  newGate,
  toGateEntity,
} from './gate-row.ts';
import type { Spending, SpendingWrite } from './spending.ts';

/** How long a drain that the runtime reports as Running may be silent before it counts as dead. */
export const SILENCE_MS = 10 * 60 * 1000;

/**
 * The clock of the topic can be ahead of the service time that this process knows by one second and a round trip. A
 * wake for a probe that comes a little early must be accepted, because it is the only one.
 */
const EARLY_PROBE_MS = 5_000;

/** Status of an orchestration as the runtime reports it; undefined if the runtime does not know the instance. */
export type DrainStatus = 'Pending' | 'Running' | 'Suspended' | 'Completed' | 'Failed' | 'Terminated' | undefined;

export interface GateDeps {
  table: Table;
  /** Service time in milliseconds: two local clocks are never compared. */
  now: () => number;
  /**
   * Starts the drain of a gate that was just acquired. `put` is the number of messages for which its first wave is
   * planned; if absent, the queue is measured. Starting a drain that already runs is harmless. Throws if the start was
   * refused and the drain does not run.
   */
  start: (gate: GateRow, put?: number) => Promise<void>;
  status: (instanceId: string) => Promise<DrainStatus>;
  /** Records in the gate what a wake has spent. If absent, the caller of `wake` records it. */
  spending?: Spending;
}

/** What a wake did. */
export type WakeResult = 'started' | 'counted' | 'restarted' | 'takenOver' | 'paused';

/** A gate with the ETag that it was read with: it is written only if it is unchanged. */
export type VersionedGate = { row: GateRow; etag: string };

/** Reads a gate; a queue that was never woken has an idle one of generation 0. */
export async function readGate(table: Table, queue: string): Promise<{ row: GateRow; etag: string | undefined }> {
  const entity = await readEntity(table, GATES_PARTITION, gateRowKey(queue));
  return entity ? fromGateEntity(entity) : { row: newGate(queue), etag: undefined };
}

/** Writes a gate if it is unchanged since it was read. Returns false if it was changed to something other than `row`. */
export const writeGate = async (table: Table, row: GateRow, etag: string | undefined): Promise<boolean> =>
  (await writeRow(table, toGateEntity(row), etag)) !== undefined;

/**
 * Changes a gate, and repeats that after a lost race. `change` returns undefined to leave the gate as it is. Returns
 * the row as written.
 */
export const changeGate = (
  table: Table,
  queue: string,
  change: (row: GateRow) => Partial<GateRow> | undefined,
): Promise<GateRow | undefined> =>
  retryLostRace(gateOf(queue), async () => {
    const { row, etag } = await readGate(table, queue);
    const fields = change(row);
    if (!fields) return undefined;
    const next = { ...row, ...fields };
    return (await writeGate(table, next, etag)) ? next : LOST_RACE;
  });

/** The name of a gate in errors. */
export const gateOf = (queue: string): string => `gate of queue ${queue}`;

/**
 * Wakes a queue. If the queue is idle, acquires the gate for a new generation and starts a drain. If a drain is
 * running, counts the wake and verifies that the drain is alive. `put` is the number of messages that the caller has
 * put; if the queue was left empty, it is not measured then.
 */
export const wake = (deps: GateDeps, queue: string, put?: number): Promise<WakeResult> =>
  deps.spending ? deps.spending.within(queue, () => wakeOnce(deps, queue, put)) : wakeOnce(deps, queue, put);

const wakeOnce = (deps: GateDeps, queue: string, put: number | undefined): Promise<WakeResult> =>
  retryLostRace(gateOf(queue), async () => {
    const { row, etag } = await readGate(deps.table, queue);
    const counted = { row: { ...row, wakes: row.wakes + 1 }, etag };
    // Recorded for the drain that follows the pause.
    if (isPauseActive(row, deps.now()))
      return (await writeSpending(deps, counted, { generation: row.generation + 1 })) ? 'paused' : LOST_RACE;
    if (row.status === 'idle')
      return (await acquire(deps, { row, etag }, isLeftEmpty(row) ? put : undefined)) ? 'started' : LOST_RACE;
    const isWritten = await writeSpending(deps, counted, { generation: row.generation });
    return isWritten ? ensureAlive(deps, counted.row) : LOST_RACE;
  });

const writeSpending = (
  { table, spending }: GateDeps,
  gate: { row: GateRow; etag: string | undefined },
  write: SpendingWrite,
): Promise<boolean> => spending?.write(table, gate, write) ?? writeGate(table, gate.row, gate.etag);

/** A pause by an operator lasts until it is ended; a pause by the circuit lasts until its probe is due. */
const isPauseActive = (row: GateRow, now: number): boolean =>
  row.paused !== undefined &&
  row.status === 'idle' &&
  (row.paused.by === 'operator' ||
    (row.paused.probeAt !== undefined && Date.parse(row.paused.probeAt) - EARLY_PROBE_MS > now));

/**
 * Returns whether the queue of an idle gate can contain only messages that were put since its release, as far as the
 * gate knows. With a policy, messages may wait for others without a wake (`notifyFrom`).
 */
const isLeftEmpty = ({ depth, parkedUntil, paused, policyVersion }: GateRow): boolean =>
  depth === 0 && parkedUntil === '' && paused === undefined && policyVersion === 0;

async function acquire(
  deps: GateDeps,
  current: { row: GateRow; etag: string | undefined },
  put?: number,
): Promise<boolean> {
  const row = nextHolder(deps, current.row);
  const { generation, policyVersion } = row;
  // `start` measures the depth if it is not known, and reads the policy if there is one.
  const policy: Operations = policyVersion === 0 ? {} : { 'table.get': 1 };
  const measured: Operations = put === undefined ? { 'queue.properties': 1 } : {};
  const after = { ...measured, 'durable.start': 1, ...policy };
  const write = { generation, after, uncounted: START_EXECUTIONS };
  if (!(await writeSpending(deps, { row, etag: current.etag }, write))) return false;
  await deps.start(row, put);
  return true;
}

function nextHolder(deps: Pick<GateDeps, 'now'>, row: GateRow): GateRow {
  const generation = row.generation + 1;
  const acquiredAt = new Date(deps.now()).toISOString();
  return {
    ...row,
    status: 'draining',
    generation,
    instanceId: drainInstanceId(row.queue, generation),
    wakes: 0,
    acquiredAt,
    aliveUntil: '',
    // Due times recorded before this wake, when the queue was idle: without them the drain would park for a whole
    // lease.
    due: dueAfter(row.due, deps.now()),
    parkedUntil: '',
    active: 0,
  };
}

/** Starts the drain, takes the gate over, or does nothing, after a wake was counted in a gate that is held. */
async function ensureAlive(deps: GateDeps, counted: GateRow): Promise<WakeResult> {
  if (counted.aliveUntil === '' && deps.now() <= lastSignMs(counted) + SILENCE_MS) {
    if (isUnderWay(await deps.status(counted.instanceId))) return 'counted';
    // The caller that acquired the gate may have died before it started the drain. Starting the same id again is
    // harmless.
    await deps.start(counted);
    return 'restarted';
  }
  // The row as it was just written: the gate is read again only if the drain looks dead.
  if (!(await isDead(deps, counted))) return 'counted';
  return retryLostRace(gateOf(counted.queue), () => takeOver(deps, counted));
}

/**
 * The wake is not counted again after a lost race: two wakers of a dead drain would otherwise defeat each other's
 * take-over endlessly.
 */
async function takeOver(deps: GateDeps, { queue, generation }: GateRow): Promise<WakeResult | typeof LOST_RACE> {
  const { row, etag } = await readGate(deps.table, queue);
  // Idle or another generation: that drain measured the queue after this wake was counted, or will measure it.
  if (etag === undefined || row.status === 'idle' || row.generation !== generation) return 'counted';
  if (!(await isDead(deps, row))) return 'counted';
  if (!(await acquire(deps, { row, etag } satisfies VersionedGate))) return LOST_RACE;
  // A drain that never started is reported as a start failure instead.
  if (!row.startFailure) log.warn('drain-failed', { queue, generation, aliveUntil: row.aliveUntil });
  return 'takenOver';
}

const isUnderWay = (status: DrainStatus): boolean => status === 'Running' || status === 'Pending';

/**
 * Returns whether the drain that holds the gate is dead. The status `Running` alone proves nothing: an instance can
 * report it indefinitely.
 */
export async function isDead(deps: Pick<GateDeps, 'table' | 'now' | 'status'>, row: GateRow): Promise<boolean> {
  const status = await deps.status(row.instanceId);
  if (status === 'Failed' || status === 'Terminated' || status === 'Completed') return true;
  const silentSince = lastSignMs(row);
  // Unknown before its first heartbeat: the caller that acquired the gate may be about to start it.
  if (status === undefined && row.aliveUntil !== '') return deps.now() > silentSince;
  if (deps.now() <= silentSince + SILENCE_MS) return false;
  return deps.now() > (await latestHeartbeat(deps.table, row)) + SILENCE_MS;
}

/** Returns until when a drain and its tasks count as alive, in milliseconds of service time: one query. */
export async function latestHeartbeat(table: Table, row: GateRow): Promise<number> {
  const { from, to } = heartbeatRows(row.queue);
  let latest = lastSignMs(row);
  const filter = odata`PartitionKey eq ${GATES_PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  for await (const entity of queryEntities(table, filter)) {
    const { generation, aliveUntil = '' } = fromEntity('heartbeat', entity);
    if (generation === row.generation) latest = Math.max(latest, Date.parse(aliveUntil) || 0);
  }
  return latest;
}

/**
 * The fence: returns the gate if `generation` still holds it. Otherwise returns undefined, and the caller must end
 * without effect.
 */
export async function fence(table: Table, queue: string, generation: number): Promise<VersionedGate | undefined> {
  const { row, etag } = await readGate(table, queue);
  return etag !== undefined && row.status === 'draining' && row.generation === generation ? { row, etag } : undefined;
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
    toEntity('heartbeat', keys, { generation, aliveUntil: new Date(until).toISOString() }),
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
  { active, depth, until }: { active: number; depth: number; until: number },
): Promise<boolean> =>
  row.aliveUntil === '' &&
  (await writeGate(
    table,
    // The depth was measured, or reported by the wake, when the gate was acquired, to plan this wave.
    {
      ...row,
      active,
      depth,
      depthAt: row.acquiredAt,
      aliveUntil: new Date(until).toISOString(),
      startFailure: undefined,
    },
    etag,
  ));

/**
 * Records in the gate when delayed messages of its queue become visible: a drain that finds them invisible parks until
 * then.
 */
export async function recordDue(table: Table, queue: string, due: readonly string[]): Promise<void> {
  await changeGate(table, queue, (row) => {
    const merged = mergeDue(row.due, due);
    return merged.join() === row.due.join() ? undefined : { due: merged };
  });
}
