import { isExactNumber } from '../../shared/contract/text/exact-json.ts';
import { formatTable } from './format.ts';

export interface ReportRow {
  key: string;
  value: unknown;
}

/** Formats a report as a table with one column per field. Its numbers may be those of `parseExact`. */
export function reportTable(rows: readonly ReportRow[]): string[] {
  const flat = rows.map(({ key, value }) => ({ key, value: toFields(value) }));
  const names = [...new Set(flat.flatMap(({ value }) => Object.keys(value)))];
  const cells = flat.map(({ key, value }) => [key, ...names.map((name) => cellOf(value[name]))]);
  return formatTable([['key', ...names], ...cells]);
}

function toFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !isExactNumber(value) ? { ...value } : { value };
}

const cellOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value ?? ''));
