/** The result of a wave, and its comparison with the previous one. Pure. */

import type { GateRow } from '../gate-row.ts';
import { earlier, emptyCounts, type SliceResult, type WorkCounts } from './slice-result.ts';
import { combineLoads, tasksAtOnce, type WaveLoad } from './wave-load.ts';

export interface WaveSummary extends WorkCounts {
  tasks: number;
  /** The wakes that the gate had counted when the wave was planned. */
  wakes: number;
  /** Duration of the longest slice, without its waits for work. */
  seconds: number;
  taskSeconds: number;
  /** Responses of services that were too busy. */
  throttled: number;
  tripped: boolean;
  /** Whether any task had a fault that ended its slice. */
  faulted: boolean;
  /** Number of tasks that had no share of the workload's limits, and the earliest time to repeat one of them (0 if none). */
  starved: number;
  retryAt: number;
  /** Load of the instances that ran it; undefined if none was measured. */
  load: WaveLoad | undefined;
}

export interface WaveContext {
  /** Whether the workload has limits across all instances. */
  isLimited: boolean;
  concurrentActivities: number;
  nowMs: number;
}

/** Sums the slices of a wave that was planned when the gate had counted `wakes`. */
export function summarize(slices: SliceResult[], wakes: number): WaveSummary {
  return {
    ...slices.reduce<WorkCounts>(addCounts, emptyCounts()),
    tasks: slices.length,
    wakes,
    seconds: Math.max(0, ...slices.map((slice) => slice.seconds)),
    taskSeconds: slices.reduce((total, slice) => total + slice.seconds, 0),
    throttled: slices.reduce((total, { load }) => total + (load?.throttled ?? 0), 0),
    tripped: slices.some((slice) => slice.ended === 'tripped'),
    faulted: slices.some((slice) => slice.ended === 'fault'),
    starved: slices.filter((slice) => slice.ended === 'noShare').length,
    retryAt: slices.reduce((first, { retryAt = 0 }) => (first === 0 ? retryAt : Math.min(first, retryAt || first)), 0),
    load: combineLoads(slices.flatMap(({ load }) => load ?? [])),
  };
}

export interface WaveChange {
  /** Tasks that ran at the same time, in this wave and the previous one: only these load the services. */
  atOnce: number;
  before: number;
  itemsPerSecond: number;
}

/** Compares a wave with the previous one in the gate. */
export function changeOf(gate: GateRow, wave: WaveSummary, { concurrentActivities }: WaveContext): WaveChange {
  const atOnce = tasksAtOnce(wave.tasks, wave.load?.instances ?? gate.instances, concurrentActivities);
  // A wave with more tasks than the instances run at a time lasts several slices.
  const seconds = Math.max(wave.seconds, wave.taskSeconds / Math.max(1, atOnce), 0.001);
  return {
    atOnce,
    before: tasksAtOnce(gate.waveTasks, gate.instances, concurrentActivities),
    itemsPerSecond: wave.items / seconds,
  };
}

/** Fraction of failing items, or of throughput lost by adding tasks, from which on there are too many tasks. */
export const TOLERANCE = 0.1;

/** Whether storage took as long although fewer tasks ran: then the tasks are not the cause. */
export const isNoFaster = (gate: GateRow, load: WaveLoad, { atOnce, before }: WaveChange): boolean =>
  atOnce < before && load.responseMs > gate.responseMs * (1 - 2 * TOLERANCE);

/** Part of the calls that failed, from 0 to 1. */
export const failureRate = ({ failures, ran }: WaveSummary): number => (ran === 0 ? 0 : failures / ran);

/** Adds two counts. */
export function addCounts(a: WorkCounts, b: WorkCounts): WorkCounts {
  return {
    received: a.received + b.received,
    done: a.done + b.done,
    items: a.items + b.items,
    ran: a.ran + b.ran,
    failures: a.failures + b.failures,
    orphanedReferences: a.orphanedReferences + b.orphanedReferences,
    handlerSeconds: a.handlerSeconds + b.handlerSeconds,
    waitedSeconds: a.waitedSeconds + b.waitedSeconds,
    oldestAt: earlier(a.oldestAt, b.oldestAt),
    failure: a.failure || b.failure,
    startError: a.startError || b.startError,
  };
}
