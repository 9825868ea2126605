/** Reads metrics of Azure Monitor per hour. */
import type { Tools } from './tools.ts';

/** An hour with its number of operations, in total and by name. */
export interface Hour {
  from: string;
  total: number;
  by: Readonly<Record<string, number>>;
}

interface Answer {
  value?: {
    timeseries?: {
      metadatavalues?: { value?: string }[];
      data?: { timeStamp: string; total?: number | null }[];
    }[];
  }[];
}

const HOUR_MS = 3_600_000;
const HOURS = 24;

/**
 * Reads a metric of the last 24 full hours, split by a dimension, and returns the hour with the fewest operations. Ignores hours
 * without operations and the current hour, because metrics are some minutes late. Returns undefined if no hour is left.
 */
export async function quietestHour(
  { az, now }: Pick<Tools, 'az' | 'now'>,
  { resource, metric, dimension }: { resource: string; metric: string; dimension: string },
): Promise<Hour | undefined> {
  const end = Math.floor(now().getTime() / HOUR_MS) * HOUR_MS;
  const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
  const answer = (await az(
    ...['monitor', 'metrics', 'list', '--resource', resource, '--metric', metric, '--aggregation', 'Total'],
    ...['--interval', 'PT1H', '--start-time', iso(end - HOURS * HOUR_MS), '--end-time', iso(end)],
    ...['--filter', `${dimension} eq '*'`, '--top', '50'],
  )) as Answer;
  const hours = new Map<string, { total: number; by: Record<string, number> }>();
  for (const { metadatavalues = [], data = [] } of answer.value?.[0]?.timeseries ?? []) {
    const name = metadatavalues[0]?.value ?? 'all';
    for (const { timeStamp, total } of data) {
      if (!total) continue;
      const hour = hours.get(timeStamp) ?? { total: 0, by: {} };
      hour.total += total;
      hour.by[name] = (hour.by[name] ?? 0) + total;
      hours.set(timeStamp, hour);
    }
  }
  const all = [...hours].map(([from, hour]) => ({ from, ...hour }));
  return all.sort((a, b) => a.total - b.total)[0];
}

/** Describes an hour in one line. */
export const hourText = ({ from, total, by }: Hour): string => {
  const parts = Object.entries(by).sort(([, a], [, b]) => b - a);
  return `${total} in the hour from ${from}: ${parts.map(([name, count]) => `${name} ${count}`).join(', ')}`;
};
