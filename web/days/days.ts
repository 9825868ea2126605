import { addDays } from '../../shared/days.ts';
import type { HistoryDay } from '../api/types.ts';
import type { Series } from '../charts/chart-options.ts';
import { SERIES } from '../charts/palette.ts';

/** Returns all days from `from` to `to` (yyyy-mm-dd), including days without a batch. */
export function allDays(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/**
 * Builds one line per workload over the days; null for a day without a value. If there are more workloads than colours,
 * only those with the most items get one.
 */
export function linesOf(
  days: readonly string[],
  rows: readonly HistoryDay[],
  read: (row: HistoryDay) => number | null,
): Series[] {
  const items = new Map<string, number>();
  for (const row of rows) items.set(row.workload, (items.get(row.workload) ?? 0) + row.items);
  const workloads = [...items].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return workloads.slice(0, SERIES.length).map((workload, index) => {
    const own = new Map(rows.filter((row) => row.workload === workload).map((row) => [row.day, row]));
    const values = days.map((day) => {
      const row = own.get(day);
      return row === undefined ? null : read(row);
    });
    return { name: workload, color: SERIES[index] ?? SERIES[0], values };
  });
}

/** Fraction of dead letters among the items, in percent. */
export const deadPercent = ({ dead, items }: Pick<HistoryDay, 'dead' | 'items'>): number =>
  items === 0 ? 0 : (dead / items) * 100;
