import { type RequestOptions, requestJson } from './http/request.ts';
import type { Audit, History } from './types.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The day, as yyyy-mm-dd in UTC, so many days before today. */
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** What has finished in the latest `days` days, today included; `workload` empty: of all. */
export function fetchHistory(
  { days, workload }: { days: number; workload: string },
  options: RequestOptions = {},
): Promise<History> {
  const query = new URLSearchParams({ from: daysAgo(days - 1), to: daysAgo(0) });
  if (workload !== '') query.set('workload', workload);
  return requestJson(`history?${query}`, options);
}

/** What operators have done in the latest `days` days, today included; `target` empty: to anything. */
export function fetchAudit(
  { days, target }: { days: number; target: string },
  options: RequestOptions = {},
): Promise<Audit> {
  const query = new URLSearchParams({ from: daysAgo(days - 1), to: daysAgo(0) });
  if (target !== '') query.set('target', target);
  return requestJson(`audit?${query}`, options);
}
