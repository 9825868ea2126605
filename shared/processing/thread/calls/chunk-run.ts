import type { ItemContext, Workload } from '../../../workload/define.ts';
import type { Source } from '../../sources.ts';
import type { Copier } from '../outcome/copies.ts';
import type { OutcomeBuilder } from '../outcome/outcome-builder.ts';
import { STOP_GRACE_MS, type StatusBuffer, type Stop, showAlive, stopOf } from '../thread-status.ts';
import type { Admission, AdmittedCall } from './admission.ts';
import type { Flight } from './flight.ts';

/** Whether the handler of a workload returns promises, as observed in this thread. */
const waits = new WeakMap<Workload, boolean>();

/** Returns whether calls of the handler return promises; undefined before the first call. */
export const isKnownToWait = (workload: Workload): boolean | undefined => waits.get(workload);

/** Records whether a call returned a promise. One promise is enough, because other calls may be answered from a cache. */
export function noteWaiting(run: ChunkRun, isWaiting: boolean): void {
  run.isWaiting ||= isWaiting;
  waits.set(run.workload, run.isWaiting);
}

/** Interval at which a waiting thread shows that it is alive, checks for a stop, and sends copies of ended items. */
const PULSE_MS = 100;

/** Begins a call. `admitted` is absent if the workload has no limits. */
export type Start = (admitted: AdmittedCall | undefined) => Promise<void> | undefined;

/** A call that must be repeated. */
export interface SetAside {
  sources: readonly Source[];
  start: Start;
}

/** The state that the items of one run share. */
export interface ChunkRun {
  workload: Workload;
  builder: OutcomeBuilder;
  copier: Copier;
  statusBuffer: StatusBuffer;
  timeoutMs: number;
  contextOf: (source: Source, flight: Flight) => ItemContext;
  nowMs: () => number;
  /** Service time at which the latest unit was started, so that the clock is read once per unit. */
  startMs: number;
  /** Service time after which no further item is begun. */
  untilMs: number;
  /** Calls that are awaited. */
  flights: Set<Flight>;
  /** Whether the next item is the first one of a fresh thread, and runs alone: then it is the cause if the thread dies. */
  isAlone: boolean;
  /** Calls that must be repeated when no other call is in flight. */
  setAside: SetAside[];
  /** Undefined if the workload has no limits. */
  admission: Admission | undefined;
  /**
   * Whether the handler returns promises; undefined if that is not known yet. Calls of a synchronous handler get no
   * separate context: it costs a third of a microsecond (measured on Node 24), and such a call ends before anything that
   * it started can fail.
   */
  isWaiting: boolean | undefined;
}

/** Runs `work`, and meanwhile shows that the thread is alive, copies ended items, and ends flights at a stop. */
export async function withPulse(run: ChunkRun, work: () => Promise<void>): Promise<void> {
  let grace: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    showAlive(run.statusBuffer);
    run.copier.check(run.nowMs());
    const stop = stopOf(run.statusBuffer);
    if (grace === undefined && stop !== undefined) grace = stopFlights(run, stop);
  }, PULSE_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
    clearTimeout(grace);
  }
}

/**
 * Asks the calls of a cancelled batch to end; those of an instance that is being stopped may finish. Cancels all after
 * the grace time.
 */
function stopFlights({ flights }: ChunkRun, stop: Stop): NodeJS.Timeout {
  if (stop === 'cancelled') for (const flight of flights) flight.stop();
  return setTimeout(() => {
    for (const flight of flights) flight.giveUp(flight.stop());
  }, STOP_GRACE_MS[stop]);
}
