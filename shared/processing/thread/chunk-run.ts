import type { ItemContext, Workload } from '../../workload/define.ts';
import type { Source } from '../sources.ts';
import type { Admission, AdmittedCall } from './calls/admission.ts';
import type { Flight } from './calls/flight.ts';
import type { Copier } from './outcome/copies.ts';
import type { OutcomeBuilder } from './outcome/outcome-builder.ts';
import { STOP_GRACE_MS, type StatusBuffer, type Stop, showAlive, stopOf } from './thread-status.ts';

/** Whether the handler of a workload returns promises, as far as this thread has seen. */
const waits = new WeakMap<Workload, boolean>();

/** Whether calls of the handler return promises; undefined before the first one. */
export const isKnownToWait = (workload: Workload): boolean | undefined => waits.get(workload);

/** Notes what a call has returned: one promise is enough, for the others may be answers from a cache. */
export function noteWaiting(run: ChunkRun, isWaiting: boolean): void {
  run.isWaiting ||= isWaiting;
  waits.set(run.workload, run.isWaiting);
}

/** How often a thread that waits shows that it lives, looks for a stop, and sends what has ended. */
const PULSE_MS = 100;

/** Begins a call. `admitted` is absent where the workload has no limits. */
export type Start = (admitted: AdmittedCall | undefined) => Promise<void> | undefined;

/** A call that is to be made again. */
export interface SetAside {
  sources: readonly Source[];
  start: Start;
}

/** What the items of one run share. */
export interface ChunkRun {
  workload: Workload;
  builder: OutcomeBuilder;
  copier: Copier;
  statusBuffer: StatusBuffer;
  timeoutMs: number;
  contextOf: (source: Source, flight: Flight) => ItemContext;
  nowMs: () => number;
  /** Service time at which the latest unit was started: one look at the clock per unit. */
  startMs: number;
  /** Service time after which no further item is begun. */
  untilMs: number;
  /** Calls that are being waited for. */
  flights: Set<Flight>;
  /** Whether the items that run have to be alone: then the death of the thread is theirs. */
  isAlone: boolean;
  /** Calls that are to be made again when nothing else is in flight. */
  setAside: SetAside[];
  /** Absent: the workload has no limits. */
  admission: Admission | undefined;
  /**
   * Whether the handler returns promises; undefined: not known yet. Calls of a synchronous handler get no context of
   * their own: that costs a third of a microsecond (measured on Node 24), and such a call has ended before anything that it
   * started can fail.
   */
  isWaiting: boolean | undefined;
}

/** Keeps a run alive while it waits: shows that the thread lives, copies what has ended, and ends flights at a stop. */
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

/** Calls of a cancelled batch are asked to end, those of an instance that is being stopped may end by themselves. */
function stopFlights({ flights }: ChunkRun, stop: Stop): NodeJS.Timeout {
  if (stop === 'cancelled') for (const flight of flights) flight.stop();
  return setTimeout(() => {
    for (const flight of flights) flight.giveUp(flight.stop());
  }, STOP_GRACE_MS[stop]);
}
