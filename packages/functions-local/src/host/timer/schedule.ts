import { parseTimeSpan } from '../../time-span.ts';
import { minutes } from '../../units.ts';
import { FunctionRefusedError, toError } from '../errors.ts';
import { type NextOccurrence, parseNcrontab } from './ncrontab.ts';

/** The schedule of a timer. */
export interface Schedule {
  next: NextOccurrence;
  /** True for cron expressions, false for constant periods. */
  adjustForDst: boolean;
  /** True if the timer runs more than once per minute. Then its status is not stored. */
  isSubMinute: boolean;
}

/** Parses an NCRONTAB expression or a TimeSpan. Throws FunctionRefusedError for anything else. */
export function parseSchedule(text: string): Schedule {
  const period = text.includes(':') ? parseTimeSpan(text) : undefined;
  if (period !== undefined && period > 0) {
    return { next: (after) => after + period, adjustForDst: false, isSubMinute: period < minutes(1) };
  }
  try {
    const next = parseNcrontab(text);
    return { next, adjustForDst: true, isSubMinute: firesWithinMinute(next) };
  } catch (error: unknown) {
    const reason = toError(error).message;
    throw new FunctionRefusedError(
      `The schedule expression '${text}' was not recognized as a valid cron expression or timespan string: ${reason}.`,
      { cause: error },
    );
  }
}

// Determined from several occurrences after a fixed time: `0,30 0 12 * * *` has a short gap only once per day.
function firesWithinMinute(next: NextOccurrence): boolean {
  let at = next(Date.UTC(2024, 0, 1));
  for (let count = 0; count < 5; count += 1) {
    const following = next(at);
    if (following - at < minutes(1)) return true;
    at = following;
  }
  return false;
}
