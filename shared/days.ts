/** Days in UTC, as texts: `yyyy-mm-dd`. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** The day of a time, which is in milliseconds since the epoch. */
export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The day so many days later. */
export const addDays = (day: string, days: number): string => dateOf(Date.parse(day) + days * DAY_MS);
