import { type RequestOptions, requestJson } from './http/request.ts';
import type { Audit, History } from './types.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The day `days` days before today, as yyyy-mm-dd in UTC. */
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

/** Fetches what finished in the last `days` days, including today. An empty `workload` means all workloads. */
export function fetchHistory(
  { days, workload }: { days: number; workload: string },
  options: RequestOptions = {},
): Promise<History> {
  const query = new URLSearchParams({ from: daysAgo(days - 1), to: daysAgo(0) });
  if (workload !== '') query.set('workload', workload);
  return requestJson(`history?${query}`, options);
}

/** Fetches the actions of operators in the last `days` days, including today. An empty `target` means all targets. */
export function fetchAudit(
  { days, target }: { days: number; target: string },
  options: RequestOptions = {},
): Promise<Audit> {
  const query = new URLSearchParams({ from: daysAgo(days - 1), to: daysAgo(0) });
  if (target !== '') query.set('target', target);
  return requestJson(`audit?${query}`, options);
}
