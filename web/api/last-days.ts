const DAY_MS = 24 * 60 * 60 * 1_000;

const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Returns the parameters of the last `days` days (UTC), including today. */
export const lastDays = (days: number): { from: string; to: string } => ({ from: daysAgo(days - 1), to: daysAgo(0) });
