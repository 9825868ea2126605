/** Finishes a wave: measures the queue, then plans the next wave, releases the gate, parks the queue, or opens the circuit. */
import { NOTHING_PUT, type Publish, tryPublish } from '../events/publish.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import type { Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { measureQueue, measureWave } from '../telemetry/metrics.ts';
import { limitOf } from '../workload/limit.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { judgeWave, LONGEST_PROBE_MS, LONGEST_START_PROBE_MS, openPause } from './circuit.ts';
import { DUE_MARGIN_MS, dueAfter } from './due.ts';
import { fence, type GateDeps } from './gate.ts';
import { type GateRow, isHeldBy, presentPause } from './gate-row.ts';
import { changeGate, gateOf, writeGate } from './gate-store.ts';
import { type ActivityLimits, waveSeconds } from './heartbeat.ts';
import { adaptGate } from './planning/adapt.ts';
import type { PlanRecord, Wave } from './planning/plan.ts';
import type { WaveSummary } from './planning/wave-summary.ts';
import { addWave } from './wave-record.ts';

/** Wait before a retry of a queue whose wave failed because of a service. */
const FAULT_RETRY_MS = 15_000;
/** Wait before a retry after a drain has failed. */
const ABANDON_RETRY_MS = 60_000;

export interface FinishWaveDeps extends ActivityLimits {
  gate: Pick<GateDeps, 'table' | 'now'>;
  depthOf: (queue: string) => Promise<number>;
  publish: Publish;
  plan: (address: QueueAddress, gate: GateRow, depth: number) => Promise<Wave>;
  visibilitySeconds: number;
}

export interface FinishedWave {
  address: QueueAddress;
  generation: number;
  wave: WaveSummary;
  /** The plan of the wave. Without it (a drain that has failed), the gate keeps no record of the wave. */
  planned?: PlanRecord;
  /** Whether the drain has failed: the gate is released, with a wake in one minute. */
  abandon?: boolean;
}

/** The next wave, or why there is none. */
export type NextStep = { next: Wave } | { ended: 'fenced' | 'drained' | 'parked' | 'paused' | 'abandoned' };

/**
 * Decides what follows a wave. The wakes are read before the depth, and the release succeeds only if the row is
 * unchanged: so a wake that came in between is never lost.
 */
export const finishWave = (deps: FinishWaveDeps, input: FinishedWave): Promise<NextStep> =>
  retryLostRace(gateOf(input.address.queue), async () => {
    const current = await fence(deps.gate.table, input.address.queue, input.generation);
    if (!current) return { ended: 'fenced' };
    const adapted = adaptGate(current.row, input.wave, {
      isLimited: limitOf(input.address.workload) !== undefined,
      concurrentActivities: deps.concurrentActivities,
      nowMs: deps.gate.now(),
    });
    const gate = { ...current.row, ...adapted, total: current.row.total + input.wave.tasks };
    gate.orphanedReferences += input.wave.orphanedReferences;
    gate.startFailure = undefined;
    gate.paused = presentPause(current.row, deps.gate.now());
    gate.waves = withWave(current.row, input, deps.gate.now());
    const decision = await decide(deps, input, gate);
    if (!(await writeGate(deps.gate.table, decision.gate, current.etag))) return LOST_RACE;
    measureQueue(input.address.queue, decision.gate.depth, decision.gate.active);
    if (adapted.instances !== undefined) measureWave(decision.gate);
    await decision.after?.();
    return decision.result;
  });

function withWave({ waves, secondsPerReference }: GateRow, { address, wave, planned }: FinishedWave, atMs: number) {
  const { depth = 0, bound, late = false } = planned ?? {};
  if (bound === undefined) return waves;
  const known = secondsPerReference || address.workload.secondsPerChunk;
  return addWave(waves, { ...wave, atMs, depth, bound, late, secondsPerReference: known });
}

interface Decision {
  gate: GateRow;
  result: NextStep;
  /** Publishes what follows the write of the gate. */
  after?: () => Promise<unknown>;
}

async function decide(deps: FinishWaveDeps, input: FinishedWave, gate: GateRow): Promise<Decision> {
  const { address, wave } = input;
  if (input.abandon === true)
    return park(deps, input, { gate, atMs: deps.gate.now() + ABANDON_RETRY_MS, ended: 'abandoned' });
  if (gate.paused?.by === 'operator') return { gate: released(gate), result: { ended: 'paused' } };
  // If only some of the instances cannot start threads, the others continue.
  if (wave.startError && wave.done === 0)
    return openCircuit(deps, input, { gate, reason: wave.startError, longestMs: LONGEST_START_PROBE_MS });
  const { opens, probing } = judgeWave(gate.paused, wave);
  if (opens !== undefined) {
    const example = wave.failure === '' ? '' : `, one with ${wave.failure}`;
    const reason = `${opens.failures} of ${opens.ran} items failed for retry${example}`;
    return openCircuit(deps, input, { gate, reason, longestMs: LONGEST_PROBE_MS });
  }
  gate.paused = probing;
  const depth = await deps.depthOf(address.queue);
  const measured = { ...gate, depth, depthAt: new Date(deps.gate.now()).toISOString() };
  if (depth === 0) return drained(deps, input, measured);
  if (wave.received === 0 && !isWokenSince(wave, gate))
    return park(deps, input, { gate: measured, atMs: nextVisible(deps, gate, wave), ended: 'parked' });
  return planNext(deps, input, measured);
}

/**
 * Returns whether a wake was counted since the wave was planned: its message may have become visible after the last
 * receive, so the depth may include visible messages. Always false for a wave that could not receive or had no share:
 * it waits anyway.
 */
const isWokenSince = (wave: WaveSummary, gate: GateRow): boolean =>
  gate.wakes > wave.wakes && !wave.faulted && wave.starved === 0;

async function planNext(deps: FinishWaveDeps, input: FinishedWave, gate: GateRow): Promise<Decision> {
  const planned = await deps.plan(input.address, gate, gate.depth);
  const next = input.address.kind === 'items' && isBlocked(input.wave) ? { ...planned, ...ONE_MESSAGE } : planned;
  const aliveUntil = new Date(deps.gate.now() + waveSeconds(deps, next) * 1000).toISOString();
  const { tasks: active, wanted = active } = next;
  return { gate: { ...gate, active, wanted, aliveUntil }, result: { next } };
}

/** Whether a wave has returned all its messages, usually because work of other queues occupied all threads. */
const isBlocked = ({ received, done }: WaveSummary): boolean => received > 0 && done === 0;

/** The size of the waves after a blocked one: they wait for the first free thread, and return one message per slice. */
const ONE_MESSAGE = { tasks: 1, wanted: 1, quota: 1, receive: 1 };

function drained(deps: FinishWaveDeps, { address, generation }: FinishedWave, gate: GateRow): Decision {
  const details = { generation, idleCount: gate.idleCount, done: gate.total };
  return {
    // Otherwise, the next drain would consider its first work late. With nothing left to probe with, the circuit closes;
    // later work opens it again if the service is still unavailable.
    gate: { ...released(gate), due: [], oldestAt: '', paused: undefined },
    result: { ended: 'drained' },
    // Published at most once per release: a lost event must not delay the drain.
    after: () => tryPublish({ queue: address.queue }, () => deps.publish(address, { type: 'QueueEmpty', details })),
  };
}

const released = (gate: GateRow): GateRow => ({ ...gate, status: 'idle', active: 0, wanted: 0 });

/**
 * Releases the gate of a queue whose workload this app does not have, as after the rollback of a deployment: without the
 * workload, no further wave can be planned. If the gate stayed held, it would refer to a drain that has ended. The sweep of
 * an app that has the workload finds the messages of the queue and wakes it.
 */
export const releaseUnknownQueue = (table: Table, queue: string, generation: number): Promise<unknown> =>
  changeGate(table, queue, (row) => (isHeldBy(row, generation) ? released(row) : undefined));

/** Parks a queue until a known time. The wake is published first: a crash in between costs one empty drain. */
async function park(
  deps: FinishWaveDeps,
  { address }: FinishedWave,
  options: { gate: GateRow; atMs: number; ended: 'parked' | 'abandoned' | 'paused' },
): Promise<Decision> {
  await deps.publish(address, { type: 'QueueWorkDetected', ...NOTHING_PUT }, { at: new Date(options.atMs) });
  const parkedUntil = new Date(options.atMs).toISOString();
  const due = dueAfter(options.gate.due, options.atMs);
  const gate = { ...released(options.gate), due, parkedUntil };
  return { gate, result: { ended: options.ended } };
}

/** Returns the earliest due time, at most one visibility timeout: the end of a dead worker's lease is unknown. */
function nextVisible(deps: FinishWaveDeps, gate: GateRow, { faulted, retryAt }: WaveSummary): number {
  if (retryAt > 0) return Math.max(deps.gate.now(), retryAt);
  if (faulted) return deps.gate.now() + FAULT_RETRY_MS;
  const lease = deps.gate.now() + deps.visibilitySeconds * 1000;
  const [first] = gate.due;
  return first === undefined ? lease : Math.max(deps.gate.now(), Math.min(Date.parse(first) + DUE_MARGIN_MS, lease));
}

function openCircuit(
  deps: FinishWaveDeps,
  input: FinishedWave,
  { gate, reason, longestMs }: { gate: GateRow; reason: string; longestMs: number },
): Promise<Decision> {
  const { paused, atMs } = openPause(gate.paused, { reason, nowMs: deps.gate.now(), longestMs });
  log.warn('circuit-open', { queue: gate.queue, ...paused });
  return park(deps, input, { gate: { ...gate, paused }, atMs, ended: 'paused' });
}
