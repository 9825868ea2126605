/** The load of the instances that ran a wave, and its consequences for the next one. Pure. */
import type { GateRow } from '../gate-row.ts';
import type { SliceLoad } from './slice-result.ts';

export interface WaveLoad {
  instances: number;
  /** Values of the busiest process: fraction of its cores, and event loop utilization of its main thread; 0 to 1. */
  cpu: number;
  eventLoop: number;
  /** Number of responses, and their mean time in milliseconds. */
  responses: number;
  responseMs: number;
}

/** Combines the loads of slices; undefined if none was measured. */
export function combineLoads(slices: SliceLoad[]): WaveLoad | undefined {
  if (slices.length === 0) return undefined;
  const instances = [...Map.groupBy(slices, ({ instance }) => instance).values()];
  const responses = sum(slices, ({ responses }) => responses);
  return {
    instances: instances.length,
    cpu: Math.max(...instances.map((loads) => meanOverTime(loads, ({ cpu }) => cpu))),
    eventLoop: Math.max(...instances.map((loads) => meanOverTime(loads, ({ eventLoop }) => eventLoop))),
    responses,
    responseMs: rounded(sum(slices, ({ responseMs }) => responseMs) / Math.max(1, responses), 1),
  };
}

const sum = <T>(entries: T[], read: (entry: T) => number): number =>
  entries.reduce((total, entry) => total + read(entry), 0);

/** Weighted by time: a slice of a few milliseconds is no evidence for its instance. */
function meanOverTime(slices: SliceLoad[], read: (slice: SliceLoad) => number): number {
  const totalMs = sum(slices, ({ ms }) => ms);
  return rounded(sum(slices, (slice) => read(slice) * slice.ms) / Math.max(1, totalMs), 3);
}

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** From this fraction on an instance is saturated: the Functions host, a separate process, needs the rest. */
const SATURATED = 0.85;

/** Whether the busiest instance had no CPU time left, or none in its main thread, which does all I/O. */
const isSaturated = ({ cpu, eventLoop }: Pick<WaveLoad, 'cpu' | 'eventLoop'>): boolean =>
  cpu >= SATURATED || eventLoop >= SATURATED;

/**
 * Computes how many tasks run at the same time; the others of their wave wait for an instance. `instances` is 0 if not
 * measured.
 */
export const tasksAtOnce = (tasks: number, instances: number, concurrentActivities: number): number =>
  instances === 0 ? tasks : Math.min(tasks, instances * concurrentActivities);

/** Tasks per activity that runs at the same time: one more waits, which makes the platform add instances. */
const TASKS_PER_PLACE = 2;

/**
 * Returns the maximum number of tasks of the next wave while the instances are saturated. Returns Infinity if they are
 * not, or if no wave of this drain has been measured (the instances of an earlier drain may be gone). More tasks would
 * not run sooner, not even late work. All queues of an app share one queue of activities: a hundred waiting activities
 * delay every other queue for many slices, including the result queues and this queue's next plan. The limit grows with
 * the number of instances.
 */
export function saturationLimit(
  gate: Pick<GateRow, 'instances' | 'cpu' | 'eventLoop' | 'aliveUntil'>,
  concurrentActivities: number,
): number {
  const isMeasured = gate.instances > 0 && gate.aliveUntil !== '';
  return isMeasured && isSaturated(gate)
    ? TASKS_PER_PLACE * gate.instances * concurrentActivities
    : Number.POSITIVE_INFINITY;
}

/** Computes the milliseconds since the oldest work was accepted, which is when deadlines begin; 0 if unknown. */
export const latencyMs = (oldestAt: string, nowMs: number): number =>
  oldestAt === '' ? 0 : Math.max(0, nowMs - (Date.parse(oldestAt) || nowMs));

/** The mean of fewer responses is not reliable: one cold connection or one garbage collection changes it. */
const MIN_RESPONSES = 20;
/** Responses are slow if they take this many times as long as usual, and this many milliseconds longer. */
const SLOW_FACTOR = 3;
const SLOW_MORE_MS = 100;

/**
 * Returns whether storage responded so slowly that it is close to throttling: latency rises before requests are
 * refused, since a service without spare capacity first makes them wait. If the instance is saturated, it is the cause
 * of slow responses.
 */
export const isSlow = (load: WaveLoad, usualMs: number): boolean =>
  isMeaningful(load) && !isSaturated(load) && isAboveUsual(load.responseMs, usualMs);

/** Whether a mean response time is far above the usual one. */
export const isAboveUsual = (responseMs: number, usualMs: number): boolean =>
  usualMs > 0 && responseMs > Math.max(usualMs * SLOW_FACTOR, usualMs + SLOW_MORE_MS);

const isMeaningful = ({ responses }: WaveLoad): boolean => responses >= MIN_RESPONSES;

/** Weight of a measurement below the usual time. */
const ALPHA = 0.5;

/**
 * Updates the usual response time after a wave. It follows lower times, and rises only on evidence that the tasks are
 * not the cause (`isIndependent`). A mean that also followed higher times would drift: each wave near the limit would
 * raise the usual time, and with it the limit, until storage throttles.
 */
export function usualResponseMs(usualMs: number, load: WaveLoad, isIndependent: boolean): number {
  if (!isMeaningful(load)) return usualMs;
  if (usualMs === 0) return load.responseMs;
  if (load.responseMs < usualMs) return usualMs + ALPHA * (load.responseMs - usualMs);
  return isIndependent && !isSaturated(load) ? load.responseMs : usualMs;
}
