/**
 * The maximum number of tasks of a queue. The limit is halved when a wave was too much for a service, returns quickly
 * to just below the number that was too many, and grows slowly from there. The shape is that of CUBIC (RFC 9438,
 * section 4). Plain AIMD needs a wave of 30 s per step: docs/decisions/0005-task-limit.md, and the comparison in
 * tests/unit/gate/planning/limit-simulation.test.ts. Pure.
 */
import type { GateRow } from '../gate-row.ts';
import { MAX_TASKS } from '../policy.ts';
import { isAboveUsual, isSlow } from './wave-load.ts';
import { failureRate, isNoFaster, TOLERANCE, type WaveChange, type WaveSummary } from './wave-summary.ts';

/** Fraction of the tasks that were too many at which a drain stays; from there the limit grows by the factor PATIENCE per wave. */
export const SAFE_FRACTION = 0.93;
const PATIENCE = 1.01;
/**
 * Number of waves after which the limit has certainly returned to the number that was too many, despite rounding. If
 * that number is no longer too many, something else was the cause, and from then on the limit grows quickly. With one
 * percent per wave, one bad minute with two tasks would delay a full queue for hours.
 */
const DOUBTING_WAVES = 10;
const GROWTH = 1.5;
/**
 * Computes the gate's columns of the limit after a wave; `taskLimit` 0 means none. Tasks of a wave that waited for an
 * instance count as well: otherwise a limit found with few instances would also apply to many.
 */
export function nextLimit(
  gate: GateRow,
  wave: WaveSummary,
  change: WaveChange,
): Pick<GateRow, 'taskLimit' | 'pressedAt' | 'calmWaves'> {
  if (isPressed(gate, wave, change)) {
    // If the limit is known, the wave was only slightly too large: a small step back is enough.
    const fraction =
      wave.tasks >= gate.pressedAt * SAFE_FRACTION && gate.taskLimit > 0 && !wasPressed(gate) ? SAFE_FRACTION : 0.5;
    return { taskLimit: Math.max(1, Math.floor(wave.tasks * fraction)), pressedAt: wave.tasks, calmWaves: 0 };
  }
  const { taskLimit, pressedAt } = gate;
  if (taskLimit === 0 || wasPressedWrongly(gate, wave, change)) return { taskLimit: 0, pressedAt, calmWaves: 0 };
  // A wave that had less work than the limit allows has not tested it.
  const calmWaves = gate.calmWaves + (wave.tasks >= taskLimit ? 1 : 0);
  const safe = Math.max(taskLimit, Math.floor(pressedAt * SAFE_FRACTION));
  const next = Math.min(safe, Math.ceil(taskLimit * GROWTH));
  if (next >= MAX_TASKS) return { taskLimit: 0, pressedAt: 0, calmWaves: 0 };
  return { taskLimit: next, pressedAt: pressedAt * (calmWaves < DOUBTING_WAVES ? PATIENCE : GROWTH), calmWaves };
}

/** Whether the previous wave was pressed, too: then its tasks are the number that was too many. */
const wasPressed = (gate: GateRow): boolean => gate.pressedAt === gate.waveTasks;

/** Whether the previous wave was pressed only by slow responses that did not become faster with fewer tasks. */
const wasPressedWrongly = (gate: GateRow, { load }: WaveSummary, change: WaveChange): boolean =>
  wasPressed(gate) &&
  gate.throttled === 0 &&
  isAboveUsual(gate.responseMs, gate.usualResponseMs) &&
  load !== undefined &&
  isNoFaster(gate, load, change);

/** Whether a service throttles or is close to it, the service behind the handler fails, or more tasks were slower than fewer. */
function isPressed(gate: GateRow, wave: WaveSummary, change: WaveChange): boolean {
  const { atOnce, before, itemsPerSecond } = change;
  if (wave.throttled > 0 || failureRate(wave) > baselineFailureRate(gate, wave, change) + TOLERANCE) return true;
  if (isPressedByResponses(gate, wave, change)) return true;
  return before > 0 && atOnce > before && itemsPerSecond < gate.itemsPerSecond * (1 - TOLERANCE);
}

/** A single task is never too many, and a reduction that had no effect is not repeated. */
const isPressedByResponses = (gate: GateRow, { load }: WaveSummary, change: WaveChange): boolean =>
  load !== undefined && change.atOnce > 1 && isSlow(load, gate.usualResponseMs) && !isNoFaster(gate, load, change);
/** Failures that remain with fewer tasks are not caused by load: from then on they are expected. */
export function baselineFailureRate(gate: GateRow, wave: WaveSummary, { atOnce, before }: WaveChange): number {
  const rate = failureRate(wave);
  if (atOnce < before && rate > gate.failureRate * (1 - 2 * TOLERANCE)) return rate;
  return Math.min(gate.baselineFailureRate, rate);
}
