/** Days in UTC as text: `yyyy-mm-dd`. */
export const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns the day of a time in milliseconds since 1970. */
export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns the day `days` days later. */
export const addDays = (day: string, days: number): string => dateOf(Date.parse(day) + days * DAY_MS);
