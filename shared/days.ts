/** Days in UTC as text: `yyyy-mm-dd`. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns the day of a time in milliseconds since 1970. */
export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns the day `days` days later. */
export const addDays = (day: string, days: number): string => dateOf(Date.parse(day) + days * DAY_MS);

const DAYS_PER_WEEK = 7;

/** Yields days in groups of seven, newest first; the last group may have fewer. */
export function* weeksOf({ from, to }: { from: string; to: string }): Generator<{ first: string; last: string }> {
  for (let last = to; last >= from; ) {
    const week = addDays(last, 1 - DAYS_PER_WEEK);
    const first = week > from ? week : from;
    yield { first, last };
    last = addDays(first, -1);
  }
}
