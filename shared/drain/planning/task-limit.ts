/**
 * How many tasks a queue may have: a limit that decreases by half when a wave was too much for a service, returns quickly
 * to just below what was too many, and grows slowly from there. The shape is that of CUBIC (RFC 9438, section 4). Plain
 * AIMD needs a wave of 30 s per step: docs/decisions/0005-task-limit.md, and the comparison in
 * tests/unit/drain/planning/limit-simulation.test.ts. Pure.
 */
import type { GateRow } from '../../wake/gate/gate-row.ts';
import { MAX_TASKS } from './policy.ts';
import { isAboveUsual, isSlow } from './wave-load.ts';
import { failureRate, isNoFaster, TOLERANCE, type WaveChange, type WaveSummary } from './wave-summary.ts';

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
/**
 * The gate's columns of the limit after a wave; `taskLimit` 0 = none. Tasks of a wave that waited for an instance count as
 * well: otherwise a limit found with few instances would also bound many.
 */
export function nextLimit(
  gate: GateRow,
  wave: WaveSummary,
  change: WaveChange,
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
const wasPressedWrongly = (gate: GateRow, { load }: WaveSummary, change: WaveChange): boolean =>
  wasPressed(gate) &&
  gate.throttled === 0 &&
  isAboveUsual(gate.responseMs, gate.usualResponseMs) &&
  load !== undefined &&
  isNoFaster(gate, load, change);

/** Whether a service throttles or is close to it, what the handler calls fails, or more tasks were slower than fewer. */
function isPressed(gate: GateRow, wave: WaveSummary, change: WaveChange): boolean {
  const { atOnce, before, itemsPerSecond } = change;
  if (wave.throttled > 0 || failureRate(wave) > baselineFailureRate(gate, wave, change) + TOLERANCE) return true;
  if (isPressedByResponses(gate, wave, change)) return true;
  return before > 0 && atOnce > before && itemsPerSecond < gate.itemsPerSecond * (1 - TOLERANCE);
}

/** One task alone is not too many, and a reduction that did not help is not repeated. */
const isPressedByResponses = (gate: GateRow, { load }: WaveSummary, change: WaveChange): boolean =>
  load !== undefined && change.atOnce > 1 && isSlow(load, gate.usualResponseMs) && !isNoFaster(gate, load, change);
/** Failures that stay when there are fewer tasks have another reason than load: from then on they are expected. */
export function baselineFailureRate(gate: GateRow, wave: WaveSummary, { atOnce, before }: WaveChange): number {
  const rate = failureRate(wave);
  if (atOnce < before && rate > gate.failureRate * (1 - 2 * TOLERANCE)) return rate;
  return Math.min(gate.baselineFailureRate, rate);
}
