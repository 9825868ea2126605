import type { Workload } from '../../../workload/define.ts';
import type { Source } from '../../sources.ts';
import type { Copier } from '../outcome/copies.ts';
import type { OutcomeBuilder } from '../outcome/outcome-builder.ts';
import { STOP_GRACE_MS, type Stop, showAlive, stopOf } from '../thread-status.ts';
import type { ThreadTask } from '../thread-task.ts';
import type { Admission } from './admission.ts';
import type { Flight } from './flight.ts';
import type { ContextTools } from './item-context.ts';

/** What one call of the handler processes: an item, or a group of them. */
export type Unit = Source | readonly Source[];

export interface ChunkRun {
  readonly workload: Workload;
  readonly task: ThreadTask;
  readonly tools: ContextTools & { nowMs: () => number };
  readonly builder: OutcomeBuilder;
  readonly copier: Copier;
  /** Undefined if the workload has no limits. */
  readonly admission: Admission | undefined;
  /** Service time after which no further item is begun. */
  readonly untilMs: number;
  /** Calls that are awaited. */
  readonly flights: Set<Flight>;
  /** Units whose call must be repeated when no other call is in flight. */
  readonly setAside: Unit[];
  /** Service time at which the latest unit was started, so that the clock is read once per unit. */
  startMs: number;
  /** Whether the next item is the first one of a fresh thread, and runs alone: then it is the cause if the thread dies. */
  isAlone: boolean;
  /** Whether the handler returns promises; undefined if that is not known yet. */
  isWaiting: boolean | undefined;
}

/** Interval at which a waiting thread shows that it is alive, checks for a stop, and sends copies of ended items. */
const PULSE_MS = 100;

/**
 * Shows that the thread is alive, copies ended items, and ends flights at a stop, until the function that it returns is
 * called.
 */
export function startPulse({ task, tools, copier, flights }: ChunkRun): () => void {
  let grace: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    showAlive(task.statusBuffer);
    copier.check(tools.nowMs());
    const stop = stopOf(task.statusBuffer);
    if (grace === undefined && stop !== undefined) grace = stopFlights(flights, stop);
  }, PULSE_MS);
  return () => {
    clearInterval(timer);
    clearTimeout(grace);
  };
}

/** Asks the calls of a cancelled batch to end; those of a stopping instance may finish. Then cancels all. */
function stopFlights(flights: ReadonlySet<Flight>, stop: Stop): NodeJS.Timeout {
  if (stop === 'cancelled') for (const flight of flights) flight.stop();
  return setTimeout(() => {
    for (const flight of flights) flight.giveUp(flight.stop());
  }, STOP_GRACE_MS[stop]);
}
