/** Adapts a gate to a finished wave: time per reference, and load of the instances. Pure. */
import type { GateRow } from '../gate-row.ts';
import { baselineFailureRate, nextLimit } from './task-limit.ts';
import { latencyMs, usualResponseMs } from './wave-load.ts';
import {
  changeOf,
  failureRate,
  isNoFaster,
  type WaveChange,
  type WaveContext,
  type WaveSummary,
} from './wave-summary.ts';

/** Weight of the newest measurement: high enough to follow a change of batch, low enough to ignore one unusual chunk. */
const ALPHA = 0.5;

/** Returns the fields of the gate that a wave changes. A wave that finished nothing keeps the earlier measurements. */
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

function loadFields(gate: GateRow, { load }: WaveSummary, change: WaveChange): Partial<GateRow> {
  if (load === undefined) return {};
  const { instances, cpu, eventLoop, responseMs } = load;
  return {
    ...{ instances, cpu, eventLoop, responseMs },
    usualResponseMs: usualResponseMs(gate.usualResponseMs, load, change.atOnce === 1 || isNoFaster(gate, load, change)),
  };
}

/** Part of the handlers' time in which the limits of the workload allowed them to start something. */
const busyPart = ({ handlerSeconds, waitedSeconds }: WaveSummary): number =>
  handlerSeconds > 0 ? Math.max(0, 1 - waitedSeconds / handlerSeconds) : 1;

/** From this part on, tasks count as busy: the limits may feed more of them. */
const BUSY = 0.9;
/** Margin for a wave that is slower than the previous one. */
const SPARE = 1.25;

/** Returns how many tasks the limits of the workload can feed: tasks that only waited for permits were not needed. */
function fedTasks({ tasks, starved }: WaveSummary, busy: number): number {
  const served = Math.max(1, tasks - starved);
  return busy > BUSY ? served * 2 : Math.max(1, Math.ceil(served * busy * SPARE));
}
