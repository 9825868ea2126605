/**
 * The gate: one row per queue, changed only by ETag; at most one drain holds it at a time.
 *
 * Invariant: a queue with visible messages has a drain that lives, or a wake that is under way. No rule about the data
 * depends on it (docs/reliability.md).
 * The interleaving that would break it: a drain measures an empty queue; a reference is put, and its wake finds the gate
 * held; the drain releases the gate. So a wake that finds the gate held is counted in the row, and a release succeeds only
 * with the count that was read before the queue was measured. A drain that is dead is found by its missing heartbeat, and
 * what it still does after a take-over is fenced by the generation.
 * Test: tests/faults/gate/gate.test.ts tries every order of these steps, crashes and lost answers; its mutants release
 * without that comparison, and are found.
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

/** How long a drain that says it is Running may be silent before it is taken for dead. */
export const SILENCE_MS = 10 * 60 * 1000;

/**
 * The topic's clock can be ahead of the service time that we know by a second and a round trip. The wake for a probe
 * that comes a little early must not be turned away: it is the only one.
 */
const EARLY_PROBE_MS = 5_000;

/** What the runtime says of an orchestration; undefined = it knows no such instance. */
export type DrainStatus = 'Pending' | 'Running' | 'Suspended' | 'Completed' | 'Failed' | 'Terminated' | undefined;

export interface GateDeps {
  table: Table;
  /** Service time in milliseconds: never two local clocks are compared. */
  now: () => number;
  /**
   * Starts the drain of a gate that was just taken. `put`: messages that its first wave is planned for; without, the queue is
   * measured. Starting one that runs is harmless; throws when it was refused and does not run.
   */
  start: (gate: GateRow, put?: number) => Promise<void>;
  status: (instanceId: string) => Promise<DrainStatus>;
  /** Records in the gate what a wake has spent; absent: whoever wakes the queue pays for it. */
  spending?: Spending;
}

/** What a wake came to. */
export type WakeResult = 'started' | 'counted' | 'restarted' | 'takenOver' | 'paused';

/** A gate as it was read, to be written only if it is so still. */
export type VersionedGate = { row: GateRow; etag: string };

/** Reads a gate; a queue that was never woken has an idle one of generation 0. */
export async function readGate(table: Table, queue: string): Promise<{ row: GateRow; etag: string | undefined }> {
  const entity = await readEntity(table, GATES_PARTITION, gateRowKey(queue));
  return entity ? fromGateEntity(entity) : { row: newGate(queue), etag: undefined };
}

/** Writes a gate if nobody changed it since it was read; false when somebody did, to something else than this. */
export const writeGate = async (table: Table, row: GateRow, etag: string | undefined): Promise<boolean> =>
  (await writeRow(table, toGateEntity(row), etag)) !== undefined;

/** Changes a gate until the change holds; `change` gives undefined to leave it alone. Returns the row as written. */
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

/** How a gate is named in errors. */
export const gateOf = (queue: string): string => `gate of queue ${queue}`;

/**
 * Wakes a queue. Idle: takes the gate for a new generation and starts its drain. Draining: counts the wake, and makes
 * sure that the drain is really there. `put`: messages that the caller knows to be there; a queue that was left empty is not
 * measured then.
 */
export const wake = (deps: GateDeps, queue: string, put?: number): Promise<WakeResult> =>
  deps.spending ? deps.spending.within(queue, () => wakeOnce(deps, queue, put)) : wakeOnce(deps, queue, put);

const wakeOnce = (deps: GateDeps, queue: string, put: number | undefined): Promise<WakeResult> =>
  retryLostRace(gateOf(queue), async () => {
    const { row, etag } = await readGate(deps.table, queue);
    const counted = { row: { ...row, wakes: row.wakes + 1 }, etag };
    // Spent for the drain that comes after the pause.
    if (isPauseActive(row, deps.now()))
      return (await writeGateAndSpending(deps, counted, { generation: row.generation + 1 })) ? 'paused' : LOST_RACE;
    if (row.status === 'idle')
      return (await acquire(deps, { row, etag }, isLeftEmpty(row) ? put : undefined)) ? 'started' : LOST_RACE;
    const isWritten = await writeGateAndSpending(deps, counted, { generation: row.generation });
    return isWritten ? ensureAlive(deps, counted.row) : LOST_RACE;
  });

const writeGateAndSpending = (
  { table, spending }: GateDeps,
  gate: { row: GateRow; etag: string | undefined },
  write: SpendingWrite,
): Promise<boolean> => spending?.writeGate(table, gate, write) ?? writeGate(table, gate.row, gate.etag);

/** A pause by hand holds until it is ended; a pause by the circuit until its probe is due. */
const isPauseActive = (row: GateRow, now: number): boolean =>
  row.paused !== undefined &&
  row.status === 'idle' &&
  (row.paused.by === 'operator' ||
    (row.paused.probeAt !== undefined && Date.parse(row.paused.probeAt) - EARLY_PROBE_MS > now));

/**
 * Whether nothing but what has been put since can be in the queue of an idle gate, as far as the gate knows. A policy may let
 * messages wait for others without a wake (`notifyFrom`).
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
  // What `start` does: the depth is measured if it is not known, and the policy read if there is one.
  const policy: Operations = policyVersion === 0 ? {} : { 'table.get': 1 };
  const measured: Operations = put === undefined ? { 'queue.properties': 1 } : {};
  const after = { ...measured, 'durable.start': 1, ...policy };
  const write = { generation, after, uncounted: START_EXECUTIONS };
  if (!(await writeGateAndSpending(deps, { row, etag: current.etag }, write))) return false;
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
    // Noted before this wake, when the queue was idle: without them the drain would park for a whole lease.
    due: dueAfter(row.due, deps.now()),
    parkedUntil: '',
    active: 0,
  };
}

/** After a wake was counted in a draining gate: start, take over, or trust the drain. */
async function ensureAlive(deps: GateDeps, counted: GateRow): Promise<WakeResult> {
  if (counted.aliveUntil === '' && deps.now() <= lastSignMs(counted) + SILENCE_MS) {
    if (isUnderWay(await deps.status(counted.instanceId))) return 'counted';
    // Whoever took the gate may have died before it started the drain: the same id again, for that is harmless.
    await deps.start(counted);
    return 'restarted';
  }
  // As it was just written: only a drain that looks dead in it is worth another reading.
  if (!(await isDead(deps, counted))) return 'counted';
  return retryLostRace(gateOf(counted.queue), () => takeOver(deps, counted));
}

/** Not counted again after a lost race: two wakers on a dead drain would break each other's take-over without end. */
async function takeOver(deps: GateDeps, { queue, generation }: GateRow): Promise<WakeResult | typeof LOST_RACE> {
  const { row, etag } = await readGate(deps.table, queue);
  // Idle or another generation: it measured, or will measure, the queue after this wake was counted.
  if (etag === undefined || row.status === 'idle' || row.generation !== generation) return 'counted';
  if (!(await isDead(deps, row))) return 'counted';
  if (!(await acquire(deps, { row, etag } satisfies VersionedGate))) return LOST_RACE;
  // One that was never started is reported as that.
  if (!row.startFailure) log.warn('drain-failed', { queue, generation, aliveUntil: row.aliveUntil });
  return 'takenOver';
}

const isUnderWay = (status: DrainStatus): boolean => status === 'Running' || status === 'Pending';

/** Whether the drain that holds the gate is gone. "Running" alone proves nothing: an instance can report it indefinitely. */
export async function isDead(deps: Pick<GateDeps, 'table' | 'now' | 'status'>, row: GateRow): Promise<boolean> {
  const status = await deps.status(row.instanceId);
  if (status === 'Failed' || status === 'Terminated' || status === 'Completed') return true;
  const silentSince = lastSignMs(row);
  // Unknown before its first heartbeat: whoever took the gate may be about to start it.
  if (status === undefined && row.aliveUntil !== '') return deps.now() > silentSince;
  if (deps.now() <= silentSince + SILENCE_MS) return false;
  return deps.now() > (await latestHeartbeat(deps.table, row)) + SILENCE_MS;
}

/** Until when a drain and its tasks count as alive without a further sign, in milliseconds of service time: one query. */
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
 * The fence: the gate if `generation` still holds it, else undefined, and then the caller must end without effect.
 */
export async function fence(table: Table, queue: string, generation: number): Promise<VersionedGate | undefined> {
  const { row, etag } = await readGate(table, queue);
  return etag !== undefined && row.status === 'draining' && row.generation === generation ? { row, etag } : undefined;
}

/** A task's own sign of life, in a row of its own: many tasks write at once, and none waits for another's ETag. */
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
 * The sign of life of a drain's first wave, which was planned after the gate had been taken: until now the gate knows
 * nothing of it. False when the gate is somebody's who has sent a heartbeat already, or was changed meanwhile; nothing
 * is written then.
 */
export const showFirstWave = async (
  table: Table,
  { row, etag }: VersionedGate,
  { active, depth, until }: { active: number; depth: number; until: number },
): Promise<boolean> =>
  row.aliveUntil === '' &&
  (await writeGate(
    table,
    // The depth was measured, or said by the wake, when the gate had been taken, for the plan of this wave.
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

/** Records in the gate when messages of its queue that are delayed become visible: a drain that finds them invisible parks so long. */
export async function recordDue(table: Table, queue: string, due: readonly string[]): Promise<void> {
  await changeGate(table, queue, (row) => {
    const merged = mergeDue(row.due, due);
    return merged.join() === row.due.join() ? undefined : { due: merged };
  });
}
