/** What pauses of queues and of batches have in common: their name, and their end. */

/** A pause, as the API shows it. Its time is also its name: a request to resume contains it. */
export interface AnyPause {
  by: string;
  reason: string;
  since: string;
  /** When it ends by itself; absent if somebody has to end it. */
  until?: string | undefined;
}

/** The part of a request to pause that a user chooses. */
export interface PauseWish {
  reason?: string | undefined;
  /** Seconds until the pause ends by itself. */
  forSeconds?: number | undefined;
  /** Whether an operator's pause for another reason stays as it is. */
  unlessPaused?: boolean | undefined;
}

/** Seven days: a longer pause is a decision that somebody should end. The topic keeps the wake at its end for that time. */
export const MAX_PAUSE_SECONDS = 7 * 24 * 60 * 60;

/**
 * The clock of the topic can be ahead of the service time that a process knows by one second and a round trip. A scheduled wake
 * that comes a little early, at the end of a pause or for a probe, must be accepted, because it is the only one.
 */
export const EARLY_WAKE_MS = 5_000;

/** Whether the end of a pause has passed. */
export const hasPauseEnded = ({ until }: Pick<AnyPause, 'until'>, nowMs: number): boolean =>
  until !== undefined && Date.parse(until) - EARLY_WAKE_MS <= nowMs;

/** The reason of a pause for which the operator gave none. */
export const NO_REASON = 'paused by an operator';

/** Creates the pause that an operator wishes at `nowMs` (service time). */
export function pauseBy({ reason, forSeconds }: PauseWish, nowMs: number): AnyPause & { by: 'operator' } {
  const isoOf = (ms: number): string => new Date(ms).toISOString();
  const end = forSeconds === undefined ? {} : { until: isoOf(nowMs + forSeconds * 1_000) };
  return { by: 'operator', reason: reason ?? NO_REASON, since: isoOf(nowMs), ...end };
}

/**
 * Whether a wish leaves a pause as it is: it adds nothing to a pause that somebody has to end (it has no end, and no other
 * reason), or it gives way to a pause for another reason.
 */
export const keepsPause = (
  { reason: present, until }: Pick<AnyPause, 'reason' | 'until'>,
  { unlessPaused = false, reason = unlessPaused ? NO_REASON : present, forSeconds }: PauseWish,
): boolean => (reason === present ? until === undefined && forSeconds === undefined : unlessPaused);

/** Describes a pause that a request to resume does not mean, because it names the pause of `named`. */
export const otherPauseText = (subject: string, { by, reason, since, until }: AnyPause, named: string): string =>
  `${subject} has another pause now: since ${since}${until === undefined ? '' : ` until ${until}`} by ${by}: ${reason}. The request ends the pause since ${named}.`;
