/**
 * Adapts a gate to a finished wave: what a reference takes, how busy the instances were, and how many tasks are worth
 * having. Pure.
 */
import { addOperations, type Operations } from '../../contract/operations.ts';
import { THROTTLED } from '../../cost/meter.ts';
import type { GateRow } from '../../wake/gate-row.ts';
import { addCounts } from '../slice.ts';
import { emptyCounts, type SliceResult, type WorkCounts } from '../slice-result.ts';
import { MAX_TASKS } from './policy.ts';
import {
  combineLoads,
  isAboveUsual,
  isSlow,
  latencyMs,
  tasksAtOnce,
  usualResponseMs,
  type WaveLoad,
} from './wave-load.ts';

/** Weight of the newest measurement: quick enough to follow a change of batch, slow enough to ignore one odd chunk. */
const ALPHA = 0.5;

/** What a wave of `tasks` tasks came to, over all of them. */
export interface WaveSummary extends Omit<WorkCounts, 'operations'> {
  tasks: number;
  /** The gate's count when it was planned. */
  wakes: number;
  /** Of the longest slice, without its waits for work. */
  seconds: number;
  /** Of all slices together. */
  taskSeconds: number;
  /** Answers of a service that was too busy. */
  throttled: number;
  tripped: boolean;
  /** Whether any task met a fault that ended its slice. */
  faulted: boolean;
  /** Tasks that had no share of the workload's limits, and when the first of them is worth repeating (0: none). */
  starved: number;
  retryAt: number;
  /** What its slices have done that no batch has recorded. */
  shared: Operations;
  /** Of the instances that ran it; undefined when none was measured. */
  load: WaveLoad | undefined;
}

/** What a wave is judged by beside its results. */
export interface WaveContext {
  /** Whether the workload has limits across all instances. */
  isLimited: boolean;
  /** Activities that one instance runs at a time. */
  concurrentActivities: number;
  /** Service time at the end of the wave, in milliseconds. */
  nowMs: number;
}

/** Sums up the slices of a wave that was planned when the gate had counted `wakes`. */
export function summarize(slices: SliceResult[], wakes: number): WaveSummary {
  const { operations, ...sum } = slices.reduce<WorkCounts>(addCounts, emptyCounts());
  return {
    ...sum,
    tasks: slices.length,
    wakes,
    seconds: Math.max(0, ...slices.map((slice) => slice.seconds)),
    taskSeconds: slices.reduce((total, slice) => total + slice.seconds, 0),
    throttled: operations[THROTTLED] ?? 0,
    tripped: slices.some((slice) => slice.ended === 'tripped'),
    faulted: slices.some((slice) => slice.ended === 'fault'),
    starved: slices.filter((slice) => slice.ended === 'noShare').length,
    retryAt: slices.reduce((first, { retryAt = 0 }) => (first === 0 ? retryAt : Math.min(first, retryAt || first)), 0),
    shared: slices.map(({ shared = {} }) => shared).reduce(addOperations, {}),
    load: combineLoads(slices.flatMap(({ load }) => load ?? [])),
  };
}

/** The gate's fields that a wave changes; one that did nothing keeps what the waves before it have measured. */
export function adaptGate(gate: GateRow, wave: WaveSummary, context: WaveContext): Partial<GateRow> {
  if (wave.done === 0) return { throttled: wave.throttled, idleCount: gate.idleCount + 1 };
  const busy = busyPart(wave);
  const measured = (busy * wave.seconds * wave.tasks) / wave.done;
  const known = gate.secondsPerReference;
  const change = changeOf(gate, wave, context);
  return {
    secondsPerReference: known === 0 ? measured : known + ALPHA * (measured - known),
    itemsPerSecond: Math.round(change.itemsPerSecond),
    throttled: wave.throttled,
    idleCount: 0,
    oldestAt: wave.oldestAt,
    latencyMs: latencyMs(wave.oldestAt, context.nowMs),
    waveTasks: wave.tasks,
    failureRate: failureRate(wave),
    baselineFailureRate: baselineFailureRate(gate, wave, change),
    ...(context.isLimited ? { fedTasks: fedTasks(wave, busy) } : {}),
    ...loadFields(gate, wave, change),
    ...nextLimit(gate, wave, change),
  };
}

/** A wave compared with the one before. */
interface Change {
  /** Tasks that ran at the same time, now and before: only these load storage and what handlers call. */
  atOnce: number;
  before: number;
  itemsPerSecond: number;
}

function changeOf(gate: GateRow, wave: WaveSummary, { concurrentActivities }: WaveContext): Change {
  const atOnce = tasksAtOnce(wave.tasks, wave.load?.instances ?? gate.instances, concurrentActivities);
  // A wave with more tasks than the instances run at a time lasts several slices.
  const seconds = Math.max(wave.seconds, wave.taskSeconds / Math.max(1, atOnce), 0.001);
  return {
    atOnce,
    before: tasksAtOnce(gate.waveTasks, gate.instances, concurrentActivities),
    itemsPerSecond: wave.items / seconds,
  };
}

function loadFields(gate: GateRow, { load }: WaveSummary, change: Change): Partial<GateRow> {
  if (load === undefined) return {};
  const { instances, cpu, eventLoop, responseMs } = load;
  return {
    ...{ instances, cpu, eventLoop, responseMs },
    usualResponseMs: usualResponseMs(gate.usualResponseMs, load, change.atOnce === 1 || isNoFaster(gate, load, change)),
  };
}

/** Whether storage took as long although fewer tasks ran: then the tasks are not the cause. */
const isNoFaster = (gate: GateRow, load: WaveLoad, { atOnce, before }: Change): boolean =>
  atOnce < before && load.responseMs > gate.responseMs * (1 - 2 * TOLERANCE);

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
function baselineFailureRate(gate: GateRow, wave: WaveSummary, { atOnce, before }: Change): number {
  const rate = failureRate(wave);
  if (atOnce < before && rate > gate.failureRate * (1 - 2 * TOLERANCE)) return rate;
  return Math.min(gate.baselineFailureRate, rate);
}

/** Share of the tasks that were too many at which a drain stays; it creeps up from there by PATIENCE a wave. */
export const SAFE_FRACTION = 0.93;
const PATIENCE = 1.01;
/**
 * Waves after which the limit has come back to what was too many, and beyond its rounding. Tasks that are not too many any more
 * say that something else was: from then on the limit grows quickly. At one percent a wave, one bad minute with two tasks
 * would hold up a full queue for hours.
 */
const DOUBTING_WAVES = 10;
const GROWTH = 1.5;
/** Share of failing items, or of throughput lost by adding tasks, from which on tasks are too many. */
const TOLERANCE = 0.1;

/**
 * Multiplicative decrease, then quickly back to just below what was too many, and slowly on from there: a plain
 * additive increase would stay at three quarters of the possible throughput on average. Tasks of a wave that waited for
 * an instance count as well: otherwise a limit found with few instances would also bound many.
 */
function nextLimit(
  gate: GateRow,
  wave: WaveSummary,
  change: Change,
): Pick<GateRow, 'taskLimit' | 'pressedAt' | 'calmWaves'> {
  if (isPressed(gate, wave, change)) {
    // Too many by a little, for the limit is known: a small step back will do.
    const fraction =
      wave.tasks >= gate.pressedAt * SAFE_FRACTION && gate.taskLimit > 0 && !wasPressed(gate) ? SAFE_FRACTION : 0.5;
    return { taskLimit: Math.max(1, Math.floor(wave.tasks * fraction)), pressedAt: wave.tasks, calmWaves: 0 };
  }
  const { taskLimit, pressedAt } = gate;
  if (taskLimit === 0 || wasPressedWrongly(gate, wave, change)) return { taskLimit: 0, pressedAt, calmWaves: 0 };
  // A wave that had less work than the limit allows has not tried it.
  const calmWaves = gate.calmWaves + (wave.tasks >= taskLimit ? 1 : 0);
  const safe = Math.max(taskLimit, Math.floor(pressedAt * SAFE_FRACTION));
  const next = Math.min(safe, Math.ceil(taskLimit * GROWTH));
  if (next >= MAX_TASKS) return { taskLimit: 0, pressedAt: 0, calmWaves: 0 };
  return { taskLimit: next, pressedAt: pressedAt * (calmWaves < DOUBTING_WAVES ? PATIENCE : GROWTH), calmWaves };
}

/** Whether the wave before was pressed, too: its tasks are what was too many. */
const wasPressed = (gate: GateRow): boolean => gate.pressedAt === gate.waveTasks;

/** Whether the wave before was pressed only by slow responses, which fewer tasks have not made faster. */
const wasPressedWrongly = (gate: GateRow, { load }: WaveSummary, change: Change): boolean =>
  wasPressed(gate) &&
  gate.throttled === 0 &&
  isAboveUsual(gate.responseMs, gate.usualResponseMs) &&
  load !== undefined &&
  isNoFaster(gate, load, change);

/** Whether a service throttles or is close to it, what the handler calls fails, or more tasks were slower than fewer. */
function isPressed(gate: GateRow, wave: WaveSummary, change: Change): boolean {
  const { atOnce, before, itemsPerSecond } = change;
  if (wave.throttled > 0 || failureRate(wave) > baselineFailureRate(gate, wave, change) + TOLERANCE) return true;
  if (isPressedByResponses(gate, wave, change)) return true;
  return before > 0 && atOnce > before && itemsPerSecond < gate.itemsPerSecond * (1 - TOLERANCE);
}

/** One task alone is not too many, and a reduction that did not help is not repeated. */
const isPressedByResponses = (gate: GateRow, { load }: WaveSummary, change: Change): boolean =>
  load !== undefined && change.atOnce > 1 && isSlow(load, gate.usualResponseMs) && !isNoFaster(gate, load, change);
