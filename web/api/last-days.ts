import { addDays, dateOf } from '../../shared/days.ts';

/** Returns the parameters of the last `days` days (UTC), including today. */
export function lastDays(days: number): { from: string; to: string } {
  const to = dateOf(Date.now());
  return { from: addDays(to, 1 - days), to };
}
