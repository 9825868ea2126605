/** Adapts a gate to a finished wave: what a reference takes, and how many tasks are worth having. Pure. */
import { THROTTLED } from '../cost/meter.ts';
import type { GateRow } from '../wake/gate-row.ts';
import { addCounts } from './slice.ts';
import { emptyCounts, type SliceResult, type WorkCounts } from './slice-result.ts';

/** Weight of the newest measurement: quick enough to follow a change of batch, slow enough to ignore one odd chunk. */
const ALPHA = 0.5;

/** What a wave of `tasks` tasks came to, over all of them. */
export interface WaveSummary extends Omit<WorkCounts, 'operations'> {
  tasks: number;
  /** The gate's count when it was planned. */
  wakes: number;
  /** Of the longest slice, without its waits for work. */
  seconds: number;
  /** Answers of a service that was too busy. */
  throttled: number;
  tripped: boolean;
  /** Whether any task met a fault that ended its slice. */
  faulted: boolean;
  /** Tasks that had no share of the workload's limits, and when the first of them is worth repeating (0: none). */
  starved: number;
  retryAt: number;
}

/** Sums up the slices of a wave that was planned when the gate had counted `wakes`. */
export function summarize(slices: SliceResult[], wakes: number): WaveSummary {
  const { operations, ...sum } = slices.reduce<WorkCounts>(addCounts, emptyCounts());
  return {
    ...sum,
    tasks: slices.length,
    wakes,
    seconds: Math.max(0, ...slices.map((slice) => slice.seconds)),
    throttled: operations[THROTTLED] ?? 0,
    tripped: slices.some((slice) => slice.ended === 'tripped'),
    faulted: slices.some((slice) => slice.ended === 'fault'),
    starved: slices.filter((slice) => slice.ended === 'noShare').length,
    retryAt: slices.reduce((first, { retryAt = 0 }) => (first === 0 ? retryAt : Math.min(first, retryAt || first)), 0),
  };
}

/** The gate's fields that a wave changes. `isLimited`: the workload has limits across all instances. */
export function adaptGate(gate: GateRow, wave: WaveSummary, isLimited = false): Partial<GateRow> {
  if (wave.done === 0) return { throttled: wave.throttled, idleCount: gate.idleCount + 1 };
  const busy = busyPart(wave);
  const measured = (busy * wave.seconds * wave.tasks) / wave.done;
  const known = gate.secondsPerReference;
  const itemsPerSecond = wave.items / Math.max(wave.seconds, 0.001);
  return {
    secondsPerReference: known === 0 ? measured : known + ALPHA * (measured - known),
    itemsPerSecond: Math.round(itemsPerSecond),
    throttled: wave.throttled,
    idleCount: 0,
    oldestAt: wave.oldestAt,
    waveTasks: wave.tasks,
    failureRate: failureRate(wave),
    baselineFailureRate: baselineFailureRate(gate, wave),
    ...(isLimited ? { fedTasks: fedTasks(wave, busy) } : {}),
    ...nextLimit(gate, wave, itemsPerSecond),
  };
}

/** Part of the handlers' time in which the limits of the workload let them begin something. */
const busyPart = ({ handlerSeconds, waitedSeconds }: WaveSummary): number =>
  handlerSeconds > 0 ? Math.max(0, 1 - waitedSeconds / handlerSeconds) : 1;

/** From here on tasks are taken to be busy: the limits may feed more of them. */
const BUSY = 0.9;
/** Room for a wave that is slower than the one before. */
const SPARE = 1.25;

/** Tasks that the limits of the workload can feed: those that waited for permits could as well not be there. */
function fedTasks({ tasks, starved }: WaveSummary, busy: number): number {
  const served = Math.max(1, tasks - starved);
  return busy > BUSY ? served * 2 : Math.max(1, Math.ceil(served * busy * SPARE));
}

const failureRate = ({ failures, ran }: WaveSummary): number => (ran === 0 ? 0 : failures / ran);

/** Failures that stay when there are fewer tasks have another reason than load: from then on they are expected. */
function baselineFailureRate(gate: GateRow, wave: WaveSummary): number {
  const rate = failureRate(wave);
  const fewer = wave.tasks < gate.waveTasks;
  if (fewer && rate > gate.failureRate * (1 - 2 * TOLERANCE)) return rate;
  return Math.min(gate.baselineFailureRate, rate);
}

/** Share of the tasks that were too many at which a drain stays; it creeps up from there by PATIENCE a wave. */
export const SAFE_FRACTION = 0.93;
const PATIENCE = 1.01;
/** Share of failing items, or of throughput lost by adding tasks, from which on tasks are too many. */
const TOLERANCE = 0.1;

/**
 * Multiplicative decrease, then quickly back to just below what was too many, and slowly on from there: a plain
 * additive increase would spend its time at three quarters of what can be had.
 */
function nextLimit(gate: GateRow, wave: WaveSummary, itemsPerSecond: number): Pick<GateRow, 'taskLimit' | 'pressedAt'> {
  if (isPressed(gate, wave, itemsPerSecond)) {
    // Too many by a little, for the limit is known: a small step back will do.
    const fraction =
      wave.tasks >= gate.pressedAt * SAFE_FRACTION && gate.taskLimit > 0 && !wasPressed(gate) ? SAFE_FRACTION : 0.5;
    return { taskLimit: Math.max(1, Math.floor(wave.tasks * fraction)), pressedAt: wave.tasks };
  }
  const { taskLimit, pressedAt } = gate;
  if (taskLimit === 0) return { taskLimit, pressedAt };
  const safe = Math.max(taskLimit, Math.floor(pressedAt * SAFE_FRACTION));
  return { taskLimit: Math.min(safe, Math.ceil(taskLimit * 1.5)), pressedAt: pressedAt * PATIENCE };
}

/** Whether the wave before was pressed, too: its tasks are what was too many. */
const wasPressed = (gate: GateRow): boolean => gate.pressedAt === gate.waveTasks;

/** Throttled by a service, failed by what the handler calls, or slower with more tasks than with fewer. */
function isPressed(gate: GateRow, wave: WaveSummary, itemsPerSecond: number): boolean {
  if (wave.throttled > 0 || failureRate(wave) > baselineFailureRate(gate, wave) + TOLERANCE) return true;
  const more = gate.waveTasks > 0 && wave.tasks > gate.waveTasks;
  return more && itemsPerSecond < gate.itemsPerSecond * (1 - TOLERANCE);
}
