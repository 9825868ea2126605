/** Learns from a finished wave: what a reference takes, and how many tasks are worth having. Pure. */
import { THROTTLED } from '../cost/meter.ts';
import type { GateRow } from '../wake/gate-row.ts';
import type { SliceResult } from './slice.ts';

/** Weight of the newest measurement: quick enough to follow a change of batch, slow enough to ignore one odd chunk. */
const ALPHA = 0.5;

/** What a wave of `tasks` tasks came to, over all of them. */
export interface WaveSummary {
  tasks: number;
  received: number;
  done: number;
  items: number;
  ran: number;
  failures: number;
  ghosts: number;
  handlerSeconds: number;
  /** Wall seconds of the longest slice. */
  seconds: number;
  throttled: number;
  tripped: boolean;
  /** Whether any task met a fault that ended its slice. */
  faulted: boolean;
}

/** Sums up the slices of a wave. `throttled` are answers of a service that was too busy. */
export function summarize(slices: SliceResult[]): WaveSummary {
  const sum = (pick: (slice: SliceResult) => number): number => slices.reduce((total, slice) => total + pick(slice), 0);
  return {
    tasks: slices.length,
    received: sum((slice) => slice.received),
    done: sum((slice) => slice.done),
    items: sum((slice) => slice.items),
    ran: sum((slice) => slice.ran),
    failures: sum((slice) => slice.failures),
    ghosts: sum((slice) => slice.ghosts),
    handlerSeconds: sum((slice) => slice.handlerSeconds),
    seconds: Math.max(0, ...slices.map((slice) => slice.seconds)),
    throttled: sum((slice) => slice.operations[THROTTLED] ?? 0),
    tripped: slices.some((slice) => slice.ended === 'tripped'),
    faulted: slices.some((slice) => slice.ended === 'fault'),
  };
}

/** The gate's fields that a wave changes. Throttling halves the task limit; a wave that grew throughput raises it. */
export function learn(gate: GateRow, wave: WaveSummary): Partial<GateRow> {
  if (wave.done === 0) return { throttled: wave.throttled, idleCount: gate.idleCount + 1 };
  const measured = (wave.seconds * wave.tasks) / wave.done;
  const known = gate.secondsPerReference;
  const itemsPerSecond = wave.items / Math.max(wave.seconds, 0.001);
  return {
    secondsPerReference: known === 0 ? measured : known + ALPHA * (measured - known),
    itemsPerSecond: Math.round(itemsPerSecond),
    throttled: wave.throttled,
    idleCount: 0,
    taskLimit: nextLimit(gate, wave, itemsPerSecond),
  };
}

function nextLimit(gate: GateRow, wave: WaveSummary, itemsPerSecond: number): number {
  if (wave.throttled > 0) return Math.max(1, Math.floor(wave.tasks / 2));
  if (gate.taskLimit === 0) return 0;
  return itemsPerSecond >= gate.itemsPerSecond ? gate.taskLimit + 1 : gate.taskLimit;
}
