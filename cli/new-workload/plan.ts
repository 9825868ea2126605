/** Creates the values that fill the template of a workload. */
import type { Field, Guess } from '../../shared/workload/types/guess.ts';
import { access } from './source-text.ts';
import { zodText } from './zod-text.ts';

/** The parts of a workload that depend on its items. */
export interface WorkloadPlan {
  /** The origin of the schema, for a comment. */
  origin: string;
  /** Source text of the schema. */
  schema: string;
  /** The key of the report rows. If absent, the report has one row. */
  key?: { field: string; of: (object: string) => string; valueOf: (record: Record<string, unknown>) => string };
  /** The field that the report adds up. If absent, the report only counts. */
  amount?: Amount;
  /** Records for the test, as a handler receives them. */
  records: Record<string, unknown>[];
  /** Whether a record without any field is invalid. */
  isEmptyInvalid: boolean;
}

/** A field that the report adds up. */
export interface Amount {
  field: string /** Source text of its value in `object`. */;
  of: (
    object: string,
  ) => string /** Factor that makes whole numbers of the values: a sum of floats depends on the order in which chunks finish. */;
  scale: number /** Whether the sample has no negative amount. If so, the template rejects one as an example. */;
  isNeverNegative: boolean;
}

/** The plan of a workload without a sample. */
export const DEFAULT_PLAN: WorkloadPlan = {
  origin: 'One record of an upload.',
  schema: `z.object({
    id: z.string().min(1).max(64),
    group: z.string().min(1).max(64),
    // A whole number: sums of floats depend on the order in which chunks finish.
    amount: z.int(),
  })`,
  key: { field: 'group', of: (object) => `${object}.group`, valueOf: ({ group }) => String(group) },
  amount: { field: 'amount', of: (object) => `${object}.amount`, scale: 1, isNeverNegative: true },
  records: [
    { id: '1', group: 'a', amount: 2 },
    { id: '2', group: 'a', amount: 3 },
  ],
  isEmptyInvalid: true,
};

/** Derives a plan from the schema of a sample. `file` is its name; `records` are its first ones, read by the schema. */
export function planOf(
  item: Guess & { fields: readonly Field[] },
  { file, count, records }: { file: string; count: number; records: Record<string, unknown>[] },
): WorkloadPlan {
  const { fields } = item;
  const key = keyOf(fields);
  const amount = amountOf(fields);
  return {
    origin: `One record of an upload, as in ${JSON.stringify(file)} (${count === 1 ? '1 record' : `${count} records`} read). TODO: check that this is true for all files.`,
    schema: zodText(item),
    ...(key && { key }),
    ...(amount && { amount }),
    records,
    isEmptyInvalid: fields.some(({ isOptional }) => !isOptional),
  };
}

/** Maximum number of rows of a readable report. */
const MAX_KEYS = 1_000;
const MAX_KEY_LENGTH = 100;

function keyOf(fields: readonly Field[]): WorkloadPlan['key'] {
  const field =
    fields.find(({ type }) => type === 'enum') ?? fewest(fields) ?? fields.find(({ type }) => type === 'boolean');
  if (field === undefined) return undefined;
  const { name, type, isOptional, isNullable } = field;
  const isSure = !isOptional && !isNullable;
  const textOf = (value: string): string => (type === 'boolean' ? `String(${value})` : value);
  return {
    field: name,
    of: (object) => (isSure ? textOf(access(object, name)) : textOf(`(${access(object, name)} ?? 'none')`)),
    valueOf: (record) => String(record[name] ?? 'none'),
  };
}

/** Returns the text field with the fewest distinct values, if values repeat. */
function fewest(fields: readonly Field[]): Field | undefined {
  const sizeOf = ({ values }: Field): number => new Set(values).size;
  const repeating = fields.filter(
    (field) =>
      (field.type === 'text' || field.type === 'time') &&
      field.values.every((value) => String(value).length <= MAX_KEY_LENGTH) &&
      sizeOf(field) > 1 &&
      sizeOf(field) <= Math.min(MAX_KEYS, field.values.length / 2),
  );
  return repeating.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0];
}

const AMOUNT_NAME = /amount|total|sum|gross|net|price|value|cents|betrag|summe|preis|wert/i;
const COUNT_NAME = /quantity|qty|count|units|menge|anzahl/i;
const CODE_NAME = /(id|key|no|nr|num|number|code|year|month|day|index|version|line|lat|lon|latitude|longitude)$/i;
const MAX_DECIMALS = 6;

function amountOf(fields: readonly Field[]): Amount | undefined {
  const numbers = fields.filter(({ type, name }) => (type === 'integer' || type === 'number') && !CODE_NAME.test(name));
  const field =
    numbers.find(({ name }) => AMOUNT_NAME.test(name)) ??
    numbers.find(({ name }) => COUNT_NAME.test(name)) ??
    numbers[0];
  if (field === undefined) return undefined;
  const { name, values, isOptional, isNullable } = field;
  const decimals = values.map((value) => /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0);
  return {
    field: name,
    of: (object) => (isOptional || isNullable ? `(${access(object, name)} ?? 0)` : access(object, name)),
    scale: 10 ** Math.min(MAX_DECIMALS, Math.max(...decimals)),
    isNeverNegative: values.every((value) => Number(value) >= 0),
  };
}
