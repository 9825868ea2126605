/** The circuit of a queue: which evidence opens and closes it, and how long it waits for its next probe. Pure. */
import type { Pause } from './gate-row.ts';
import type { WorkCounts } from './planning/slice-result.ts';

/** Items that must have run before failures are evidence: below, one invalid item would stop the queue for all. */
const MIN_RUN_TO_TRIP = 20;
/** First and longest wait of an open circuit before one task tries again; the wait doubles with each failed probe. */
const FIRST_PROBE_MS = 10_000;
export const LONGEST_PROBE_MS = 5 * 60_000;
/** The longest wait if no worker thread starts: a deployment repairs that, and no service has to be spared. */
export const LONGEST_START_PROBE_MS = 60_000;

/** Items that ran, and how many of them failed for retry. */
export type Evidence = Pick<WorkCounts, 'ran' | 'failures'>;

/** Whether the circuit must open: more than half of the items that ran failed for retry. */
export const trips = ({ ran, failures }: Evidence): boolean => ran >= MIN_RUN_TO_TRIP && failures * 2 > ran;

/** Whether what ran shows that the service works. */
const succeeds = ({ ran, failures }: Evidence): boolean => ran > 0 && failures * 2 <= ran;

/**
 * Whether a probe needs more items for a verdict. It runs as many as it takes to open a closed circuit: the retry chunk
 * of one item that always fails would otherwise keep the queue paused for all others, with a doubled wait.
 */
export const isUndecided = (evidence: Evidence): boolean => !trips(evidence) && !succeeds(evidence);

/** What a wave means for the circuit. Both are absent if the circuit is closed. */
export interface CircuitVerdict {
  /** Set if the circuit opens, or stays open with a longer wait: why. */
  opens?: Evidence;
  /** Set if the probe was not decided. It has no time: the next message that can be received continues it. */
  probing?: Pause;
}

/**
 * Judges a wave. An open circuit closes as soon as half of the items of a probe succeed, and opens again on as much
 * evidence as opened it. Failures of undecided probes are added up, so that slow or rare items lead to a verdict, too.
 */
export function judgeWave(paused: Pause | undefined, wave: Evidence & { tripped: boolean }): CircuitVerdict {
  const { ran, failures, tripped } = wave;
  if (paused === undefined) return tripped ? { opens: { ran, failures } } : {};
  const sum = { ran: ran + (paused.ran ?? 0), failures: failures + (paused.failures ?? 0) };
  if (tripped || trips(sum)) return { opens: sum };
  if (succeeds(wave)) return {};
  const { probeAt: _, ...kept } = paused;
  return { probing: { ...kept, ...sum } };
}

/** Creates the pause of a circuit that opens or stays open, until a probe at `atMs`. */
export function openPause(
  previous: Pause | undefined,
  { reason, nowMs, longestMs }: { reason: string; nowMs: number; longestMs: number },
): { paused: Pause; atMs: number } {
  const probes = previous === undefined ? 0 : (previous.probes ?? 0) + 1;
  const atMs = nowMs + Math.min(FIRST_PROBE_MS * 2 ** probes, longestMs);
  const since = previous?.since ?? new Date(nowMs).toISOString();
  return { paused: { by: 'circuit', reason, since, probeAt: new Date(atMs).toISOString(), probes }, atMs };
}
