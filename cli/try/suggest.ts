/** Suggests options with which the items of an upload become valid. */
import { DELIMITERS } from '../../shared/contract/upload-kinds.ts';
import type { UploadCheck } from '../../shared/intake/check/check-upload.ts';
import { shellWord } from '../../shared/shell-word.ts';
import type { JsonSchema } from '../../shared/workload/item-schema.ts';
import { fieldsOf, type SchemaField, valueAt } from '../../shared/workload/types/fields.ts';
import { pairColumns } from './pair-columns.ts';

/** A suggestion: its reason, and the options that solve the problem, if there are any. */
export interface Suggestion {
  text: string;
  flags: string[];
}

/** The findings about an upload that does not match its schema. */
export interface Tried {
  check: Pick<UploadCheck, 'csv' | 'fault' | 'format'>;
  schema: JsonSchema | undefined;
  items: readonly unknown[];
}

/** Returns the suggestions, the most certain first. */
export function suggest(tried: Tried): Suggestion[] {
  const delimiter = suggestDelimiter(tried);
  // With a wrong delimiter, names and cells are meaningless.
  const others = delimiter.length > 0 ? [] : [...suggestNames(tried), ...suggestDecimal(tried)];
  return [...suggestCharset(tried), ...delimiter, ...others];
}

function suggestCharset({ check: { fault, csv, format } }: Tried): Suggestion[] {
  if (format !== 'csv' || !fault?.message.includes('UTF-8') || (csv && csv.charset !== 'utf-8')) return [];
  return [
    {
      text: 'The file is not UTF-8; spreadsheet programs often write Windows-1252.',
      flags: ['--charset windows-1252'],
    },
  ];
}

function suggestDelimiter({ check: { csv } }: Tried): Suggestion[] {
  const [only, ...others] = csv?.columns ?? [];
  if (only === undefined || others.length > 0) return [];
  const found = Object.entries(DELIMITERS).find(
    ([, character]) => character !== csv?.delimiter && only.header.includes(character),
  );
  if (found === undefined) return [];
  return [{ text: `The header is one column, ${JSON.stringify(only.header)}.`, flags: [`--delimiter ${found[0]}`] }];
}

/** Suggests unknown columns or keys for required fields that are missing. */
function suggestNames({ check: { csv }, schema, items }: Tried): Suggestion[] {
  const fields = fieldsOf(schema);
  const hasColumn = (path: string): boolean => csv?.columns.some(({ name }) => name === path) ?? false;
  const missing = fields.filter(
    ({ path, isRequired }) =>
      isRequired && !hasColumn(path) && items.every((item) => valueAt(item, path) === undefined),
  );
  if (missing.length === 0 || items.length === 0) return [];
  const known = new Set(fields.flatMap(({ path }) => prefixesOf(path)));
  if (csv === undefined) return [namesInJson(missing, unknownKeys(items, known))];
  const unknown = csv.columns.filter(({ name }) => !known.has(name));
  const pairs = pairColumns(missing, unknown, { csv, items });
  const rest = missing.filter((field) => !pairs.some(([, paired]) => paired === field));
  const left = unknown
    .filter((column) => !pairs.some(([paired]) => paired === column))
    .map(({ header }) => JSON.stringify(header));
  return [
    ...pairs.map(([{ header }, { path }]) => ({
      text: `Column ${JSON.stringify(header)} is not in the schema; \`${path}\` is missing.`,
      flags: [`--rename ${shellWord(`${header}=${path}`)}`],
    })),
    ...(rest.length > 0
      ? [
          {
            text: `No column for ${listOf(rest)}.${left.length > 0 ? ` Not in the schema: ${left.join(', ')}.` : ''}`,
            flags: [],
          },
        ]
      : []),
  ];
}

const prefixesOf = (path: string): string[] => {
  const keys = path.split('.');
  return keys.map((_, index) => keys.slice(0, index + 1).join('.'));
};

function unknownKeys(items: readonly unknown[], known: ReadonlySet<string>): string[] {
  const keys = items
    .slice(0, 20)
    .flatMap((item) => (typeof item === 'object' && item !== null ? Object.keys(item) : []));
  return [...new Set(keys)].filter((key) => !known.has(key));
}

function namesInJson(missing: readonly SchemaField[], unknown: readonly string[]): Suggestion {
  const others = unknown.slice(0, 10).map((key) => JSON.stringify(key));
  const have = others.length > 0 ? ` The items have ${others.join(', ')}, which the schema does not contain.` : '';
  return { text: `No item has ${listOf(missing)}.${have}`, flags: [] };
}

const listOf = (fields: readonly SchemaField[]): string => fields.map(({ path }) => `\`${path}\``).join(', ');

const COMMA_NUMBER = /^-?(\d+|\d{1,3}(\.\d{3})+),\d+$/;

function suggestDecimal({ check: { csv }, items }: Tried): Suggestion[] {
  if (csv === undefined || csv.decimal === ',') return [];
  for (const { header, name, type } of csv.columns) {
    if (type !== 'number' && type !== 'integer') continue;
    const example = items.map((item) => valueAt(item, name)).find((value) => COMMA_NUMBER.test(String(value)));
    if (example !== undefined)
      return [
        {
          text: `The number column ${JSON.stringify(header)} contains ${JSON.stringify(example)}.`,
          flags: ['--decimal comma'],
        },
      ];
  }
  return [];
}
