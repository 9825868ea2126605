/** What a wave came to, and how it compares with the one before. Pure. */

import { addOperations, type Operations } from '../../contract/operations.ts';
import { THROTTLED } from '../../cost/meter.ts';
import type { GateRow } from '../../wake/gate/gate-row.ts';
import { addCounts } from '../slice.ts';
import { emptyCounts, type SliceResult, type WorkCounts } from '../slice-result.ts';
import { combineLoads, tasksAtOnce, type WaveLoad } from './wave-load.ts';

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

/** A wave compared with the one before. */
export interface WaveChange {
  /** Tasks that ran at the same time, now and before: only these load storage and what handlers call. */
  atOnce: number;
  before: number;
  itemsPerSecond: number;
}

/** Compares a wave with the one that the gate has recorded. */
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

/** Share of failing items, or of throughput lost by adding tasks, from which on tasks are too many. */
export const TOLERANCE = 0.1;

/** Whether storage took as long although fewer tasks ran: then the tasks are not the cause. */
export const isNoFaster = (gate: GateRow, load: WaveLoad, { atOnce, before }: WaveChange): boolean =>
  atOnce < before && load.responseMs > gate.responseMs * (1 - 2 * TOLERANCE);

/** Part of the calls that failed, from 0 to 1. */
export const failureRate = ({ failures, ran }: WaveSummary): number => (ran === 0 ? 0 : failures / ran);
