/** The result of the check of a file's first part, as text. */
import { delimiterName } from '../../shared/contract/upload-kinds.ts';
import type { UploadCheck } from '../api/types.ts';
import { formatCount, formatNumberOf } from '../format.ts';

/** Returns how many items were checked, of how many, and how many are valid; `isAll` if the whole file was sent. */
export function describeCheck({ items, valid, whole, estimate }: UploadCheck, isAll: boolean): string {
  const first = whole && isAll ? formatNumberOf(items, 'item') : `The first ${formatNumberOf(items, 'item')}`;
  const of = isAll && !whole && estimate ? ` of about ${formatCount(estimate.items)}` : '';
  if (valid === items) return `${first}${of}: all fit the schema`;
  return `${first}${of}: ${valid === 0 ? 'none fits' : `${formatCount(items - valid)} do not fit`} the schema`;
}

/** Returns how a CSV file is read; undefined for other formats. */
export function describeCsv({ csv }: UploadCheck): string | undefined {
  if (csv === undefined) return undefined;
  const decimal = csv.decimal === ',' ? ', decimal comma' : '';
  const columns = formatNumberOf(csv.columns.length, 'column');
  return `CSV, ${delimiterName(csv.delimiter)} as the delimiter${decimal}, ${csv.charset}, ${columns}`;
}

/** Returns each column with the field it maps to: `Menge → qty (integer)`. */
export const describeColumns = ({ csv }: UploadCheck): string[] =>
  (csv?.columns ?? []).map(({ header, name, type }) => `${header}${header === name ? '' : ` → ${name}`} (${type})`);

/** Whether the check found no error. */
export const isFine = ({ items, valid, fault }: UploadCheck): boolean => fault === undefined && valid === items;
