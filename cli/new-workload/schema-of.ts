/**
 * Derives the schema of a sample: as zod source text, and as JSON Schema, with which a CSV sample is read like an upload.
 * quicktype-core 26 (19 MB with its dependencies) was tried and rejected: it does not distinguish integers from other numbers,
 * treats every repeated text as an enum and every time as a Date (which JSON does not have), supports neither CSV nor leading
 * zeros, and does not comment on its guesses.
 */
import type { JsonSchema } from '../../shared/workload/item-schema.ts';
import type { Guess } from './guess.ts';
import { textOf } from './guess-text.ts';
import type { Reading, Seen } from './seen.ts';
import { propertyName } from './source-text.ts';

/** A field of an item. */
export interface Field extends Guess {
  name: string;
  isOptional: boolean;
  isNullable: boolean;
  seen: Seen;
}

/** The schema of a sample. */
export interface SampleSchema {
  zod: string;
  json: JsonSchema;
  fields: Field[];
}

/** Guesses the schema of records from their statistics. */
export function schemaOf(records: Seen, reading: Reading): SampleSchema {
  const fields = fieldsOf(records, reading);
  const { zod, json } = objectOf(fields);
  return { zod, json, fields };
}

/** An object with at least this many fields, each of them absent in most records, is a map of names to values. */
const MANY_FIELDS = 20;

function guess(name: string, seen: Seen, reading: Reading): Guess {
  const present = seen.count - seen.of('null');
  if (present === 0) return nothing(seen, reading);
  if (seen.of('text') === present) return textOf(name, seen, reading);
  if (seen.of('integer') === present) return { type: 'integer', zod: 'z.int()', json: { type: 'integer' } };
  if (seen.of('integer', 'number') === present) return { type: 'number', zod: 'z.number()', json: { type: 'number' } };
  if (seen.of('boolean') === present) return { type: 'boolean', zod: 'z.boolean()', json: { type: 'boolean' } };
  if (seen.of('object') === present) return isMap(seen) ? mapOf(seen, reading) : objectGuess(seen, reading);
  if (seen.of('array') === present) return arrayOf(name, seen, reading);
  return mixed(seen);
}

const nothing = (seen: Seen, { fromText }: Reading): Guess =>
  fromText
    ? { type: 'text', zod: 'z.string()', json: { type: 'string' }, note: 'Empty in the sample.' }
    : {
        type: 'other',
        zod: 'z.unknown()',
        json: {},
        ...(seen.count > 0 ? { note: 'Always null in the sample.' } : {}),
      };

const isMap = ({ fields, count }: Seen): boolean =>
  fields.size >= MANY_FIELDS && [...fields.values()].every((field) => field.count * 2 < count);

function mapOf(seen: Seen, reading: Reading): Guess {
  const guesses = [...seen.fields].map(([name, field]) => guess(name, field, reading));
  const kinds = new Set(guesses.map(({ zod }) => zod));
  const value = kinds.size === 1 ? [...kinds][0] : 'z.unknown()';
  const note = 'Guessed: the names differ from record to record.';
  return { type: 'other', zod: `z.record(z.string(), ${value})`, json: { type: 'object' }, note };
}

function objectGuess(seen: Seen, reading: Reading): Guess {
  return { type: 'object', ...objectOf(fieldsOf(seen, reading)) };
}

function arrayOf(name: string, seen: Seen, reading: Reading): Guess {
  if (seen.elements === undefined || seen.elements.count === 0)
    return { type: 'other', zod: 'z.array(z.unknown())', json: { type: 'array' }, note: 'Always empty in the sample.' };
  const { zod, json, note } = guess(name, seen.elements, reading);
  const element = seen.elements.of('null') > 0 ? `${zod}.nullable()` : zod;
  return { type: 'other', zod: `z.array(${element})`, json: { type: 'array', items: json }, ...(note ? { note } : {}) };
}

function mixed(seen: Seen): Guess {
  const zods = [
    ...(seen.of('text') > 0 ? ['z.string()'] : []),
    ...(seen.of('number') > 0 ? ['z.number()'] : seen.of('integer') > 0 ? ['z.int()'] : []),
    ...(seen.of('boolean') > 0 ? ['z.boolean()'] : []),
  ];
  const isPlain = seen.of('object', 'array') === 0;
  const zod = isPlain ? `z.union([${zods.join(', ')}])` : 'z.unknown()';
  return { type: 'other', zod, json: {}, note: 'The sample has several types.' };
}

function fieldsOf(seen: Seen, reading: Reading): Field[] {
  return [...seen.fields].map(([name, field]) => ({
    ...guess(name, field, reading),
    name,
    isOptional: field.count < seen.of('object'),
    isNullable: field.of('null') > 0,
    seen: field,
  }));
}

function objectOf(fields: readonly Field[]): Pick<Guess, 'zod' | 'json'> {
  const lines = fields.map((field) => `${commentText(field.note)}${fieldText(field)}`);
  return {
    zod: `z.object({\n${lines.join('\n')}\n})`,
    json: {
      type: 'object',
      properties: Object.fromEntries(fields.map(({ name, json }) => [name, json])),
      required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
    },
  };
}

const commentText = (note: string | undefined): string => (note === undefined ? '' : `// ${note}\n`);

const fieldText = ({ name, zod, isNullable, isOptional }: Field): string =>
  `${propertyName(name)}: ${zod}${isNullable ? '.nullable()' : ''}${isOptional ? '.optional()' : ''},`;
