/**
 * The gate: one row per queue, changed only by ETag; at most one drain holds it at a time.
 *
 * Invariant: a queue with visible messages has a drain that is alive, or a wake that is under way or scheduled, unless an
 * operator or its circuit has paused it, or its policy has a `notifyFrom` that is not reached. No rule about the data depends
 * on it (docs/reliability.md).
 * The interleaving that would break it: a drain measures an empty queue; a reference is put, and its wake finds the
 * gate held; the drain releases the gate. Therefore a wake that finds the gate held is counted in the row, which changes
 * its ETag, and a release succeeds only with the ETag that was read before the queue was measured. A dead drain is
 * detected by its missing heartbeat. If it still runs after a take-over, its generation is outdated, and `fence` refuses it.
 * Test: tests/faults/gate/gate.test.ts tries every order of these steps, with crashes and lost responses; its mutants
 * release without that comparison, and the test detects them.
 */
import { EARLY_WAKE_MS } from '../pauses.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import type { Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { dueAfter } from './due.ts';
import { drainInstanceId, type GateRow, isHeldBy, lastSignMs, presentPause, SILENCE_MS } from './gate-row.ts';
import { gateOf, readGate, type VersionedGate, writeGate } from './gate-store.ts';
import { type DrainStatus, isDead, type LivenessDeps } from './heartbeat.ts';

export interface GateDeps extends LivenessDeps {
  /**
   * Starts the drain of a gate that was just acquired. `put` is the number of messages for which its first wave is
   * planned; if absent, the queue is measured. Starting a drain that already runs is harmless. Throws if the start was
   * refused and the drain does not run.
   */
  start: (gate: GateRow, put?: number) => Promise<void>;
}

export type WakeResult = 'started' | 'counted' | 'restarted' | 'takenOver' | 'paused';

/**
 * Wakes a queue. If the queue is idle, acquires the gate for a new generation and starts a drain. If a drain is
 * running, counts the wake and verifies that the drain is alive. `put` is the number of messages that the caller has
 * put; if the queue was left empty, it is not measured then.
 */
export const wake = (deps: GateDeps, queue: string, put?: number): Promise<WakeResult> =>
  retryLostRace(gateOf(queue), async () => {
    const { row, etag } = await readGate(deps.table, queue);
    const isPaused = isPauseActive(row, deps.now());
    if (row.status === 'idle' && !isPaused)
      return (await acquire(deps, { row, etag }, isLeftEmpty(row) ? put : undefined)) ? 'started' : LOST_RACE;
    const counted = { ...row, wakes: row.wakes + 1 };
    if (!(await writeGate(deps.table, counted, etag))) return LOST_RACE;
    return isPaused ? 'paused' : ensureAlive(deps, counted);
  });

/** A pause by an operator lasts until its end, if it has one; a pause by the circuit lasts until its probe is due. */
function isPauseActive(row: GateRow, now: number): boolean {
  const pause = presentPause(row, now);
  if (pause === undefined || row.status !== 'idle') return false;
  return pause.by === 'operator' || (pause.probeAt !== undefined && Date.parse(pause.probeAt) - EARLY_WAKE_MS > now);
}

/** Whether the queue can contain only messages put since its release. With a policy, some may wait without a wake. */
const isLeftEmpty = ({ depth, parkedUntil, paused, policyVersion }: GateRow): boolean =>
  depth === 0 && parkedUntil === '' && paused === undefined && policyVersion === 0;

async function acquire(
  deps: GateDeps,
  current: { row: GateRow; etag: string | undefined },
  put?: number,
): Promise<boolean> {
  const row = nextHolder(deps, current.row);
  if (!(await writeGate(deps.table, row, current.etag))) return false;
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
    paused: presentPause(row, deps.now()),
    active: 0,
    wanted: 0,
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

/** Does not count the wake again: two wakers of a dead drain would defeat each other's take-over endlessly. */
async function takeOver(deps: GateDeps, { queue, generation }: GateRow): Promise<WakeResult | typeof LOST_RACE> {
  const { row, etag } = await readGate(deps.table, queue);
  // Idle or another generation: that drain measured the queue after this wake was counted, or will measure it.
  if (etag === undefined || !isHeldBy(row, generation)) return 'counted';
  if (!(await isDead(deps, row))) return 'counted';
  if (!(await acquire(deps, { row, etag } satisfies VersionedGate))) return LOST_RACE;
  // A drain that never started is reported as a start failure instead.
  if (!row.startFailure) log.warn('drain-failed', { queue, generation, aliveUntil: row.aliveUntil });
  return 'takenOver';
}

const isUnderWay = (status: DrainStatus): boolean => status === 'Running' || status === 'Pending';

/**
 * The fence: returns the gate if `generation` still holds it. Otherwise returns undefined, and the caller must end
 * without effect.
 */
export async function fence(table: Table, queue: string, generation: number): Promise<VersionedGate | undefined> {
  const { row, etag } = await readGate(table, queue);
  return etag !== undefined && isHeldBy(row, generation) ? { row, etag } : undefined;
}
