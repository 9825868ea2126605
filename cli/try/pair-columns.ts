import type { CsvReading } from '../../shared/intake/parse/csv-options.ts';
import { mayHold, mayHoldAnyText, type SchemaField, valueAt } from '../../shared/workload/types/fields.ts';
import { nearest } from '../text/nearest.ts';

type Column = CsvReading['columns'][number];

/** Pairs each missing field with a column of a similar name, otherwise with one whose cells may be its values. */
export function pairColumns(
  missing: readonly SchemaField[],
  columns: readonly Column[],
  { csv, items }: { csv: CsvReading; items: readonly unknown[] },
): [Column, SchemaField][] {
  const free = new Set(columns);
  const pairs: [Column, SchemaField][] = [];
  const take = (field: SchemaField, column: Column | undefined): void => {
    if (column === undefined) return;
    free.delete(column);
    pairs.push([column, field]);
  };
  const fits = (field: SchemaField, { name }: Column): boolean =>
    items.slice(0, 20).every((item) => {
      const value = valueAt(item, name);
      return value === undefined || mayHold(field, String(value), csv.decimal);
    });
  for (const field of missing) {
    const fitting = [...free].filter((column) => fits(field, column));
    const near = nearest(
      field.path,
      fitting.map(({ header }) => header),
    );
    take(
      field,
      fitting.find(({ header }) => header === near),
    );
  }
  const rest = missing.filter((field) => !pairs.some(([, paired]) => paired === field));
  // If the file has little in common with the schema, every guess would be wrong.
  const isPlausible = free.size === rest.length || rest.length <= csv.columns.length - columns.length;
  // Numbers and enums first: any column may hold text.
  for (const field of isPlausible ? rest.toSorted((a, b) => Number(mayHoldAnyText(a)) - Number(mayHoldAnyText(b))) : [])
    take(
      field,
      [...free].find((column) => fits(field, column)),
    );
  return missing.flatMap((field) => pairs.filter(([, paired]) => paired === field));
}
