/**
 * The zod schema of a sample, as source text, and the same as JSON Schema, by which a CSV sample is read as uploads will be.
 * Own code: quicktype-core 26 (19 MB with its dependencies) was tried; it reads whole numbers as any number, takes every
 * text that repeats for an enum and every time for a Date, which is no JSON, knows neither CSV nor leading zeros, and writes
 * no comments on what it has guessed.
 */
import type { JsonSchema } from '../../shared/workload/item-schema.ts';
import type { Reading, Seen } from './seen.ts';

/** What the values at a place were taken for. */
export type FieldType = 'text' | 'enum' | 'time' | 'integer' | 'number' | 'boolean' | 'object' | 'other';

/** A place in an item. */
export interface Guess {
  type: FieldType;
  /** Source text. */
  zod: string;
  json: JsonSchema;
  /** What was guessed, for a comment. */
  note?: string;
}

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

/** Guesses the schema of records from what was seen of them. */
export function schemaOf(records: Seen, reading: Reading): SampleSchema {
  const fields = fieldsOf(records, reading);
  const { zod, json } = objectOf(fields);
  return { zod, json, fields };
}

/** Words in a name whose digits are no number that anybody adds up: a value with a leading zero may come yet. */
const CODE_NAME = /zip|plz|post_?(al)?_?code|postleitzahl|phone|telefon|mobile|iban|isbn|ean|gtin|vat/i;
/** Words in a name whose texts may repeat in a sample, but are no closed set. */
const OPEN_NAME =
  /(id|key|no|nr|name|title|email|city|town|ort|street|address|customer|client|kunde|account|user|shop|product|sku|text|comment|note|description)$/i;
const MAX_ENUM = 12;
const MAX_ENUM_CHARS = 30;
/** A closed set shows each of its values often, on average. */
const REPEATS_OF_ENUM = 5;
/** An object with so many fields, few of them in most records, is a map of names to values. */
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

function textOf(name: string, seen: Seen, reading: Reading): Guess {
  if (reading.fromText) {
    const number = numberIn(name, seen);
    if (number !== undefined) return number;
  }
  return timeOf(seen) ?? enumOf(name, seen) ?? { ...TEXT, ...noteOn(name, seen, reading) };
}

const TEXT = { type: 'text', zod: 'z.string()', json: { type: 'string' } } as const;

/** A number or boolean in the cells of CSV. */
function numberIn(name: string, seen: Seen): Guess | undefined {
  if (seen.allMatch('boolean')) return { type: 'boolean', zod: 'z.boolean()', json: { type: 'boolean' } };
  if (CODE_NAME.test(name) || !seen.allMatch('number')) return undefined;
  if (seen.allMatch('integer')) return { type: 'integer', zod: 'z.int()', json: { type: 'integer' } };
  return { type: 'number', zod: 'z.number()', json: { type: 'number' } };
}

function timeOf(seen: Seen): Guess | undefined {
  const time = (zod: string): Guess => ({ type: 'time', zod, json: { type: 'string' } });
  if (seen.allMatch('date')) return time('z.iso.date()');
  if (seen.allMatch('utcTime')) return time('z.iso.datetime()');
  if (seen.allMatch('offsetTime')) return time('z.iso.datetime({ offset: true })');
  if (seen.allMatch('localTime')) return time('z.iso.datetime({ offset: true, local: true })');
  return undefined;
}

function enumOf(name: string, { texts, count }: Seen): Guess | undefined {
  const values = [...(texts?.keys() ?? [])].toSorted();
  const isClosed = values.length > 1 && values.length <= MAX_ENUM && count >= values.length * REPEATS_OF_ENUM;
  if (!isClosed || OPEN_NAME.test(name) || !values.every(isWord)) return undefined;
  return {
    type: 'enum',
    zod: `z.enum(${JSON.stringify(values)})`,
    json: { type: 'string' },
    note: 'Guessed: no other value in the sample. z.string() takes any.',
  };
}

const isWord = (text: string): boolean => text.length <= MAX_ENUM_CHARS && /^[\p{L}\d][\p{L}\d _./+-]*$/u.test(text);

function noteOn(name: string, seen: Seen, { fromText }: Reading): { note?: string } {
  const [only] = seen.texts?.size === 1 && seen.count > 1 ? seen.texts.keys() : [];
  if (only !== undefined) return { note: `Always ${quoted(only)} in the sample.` };
  if (seen.allMatch('digits') && seen.hasLeadingZero) return { note: 'Digits with leading zeros: text.' };
  if (seen.allMatch('digits') && fromText)
    return {
      note: CODE_NAME.test(name)
        ? 'Digits, but no number to judge by its name: text.'
        : 'Too many digits for a number: text.',
    };
  if (seen.allMatch('number')) return { note: 'Numbers, but written as text.' };
  if (fromText && hasDecimalCommas(seen)) return { note: 'Decimal commas: --decimal comma reads them as numbers.' };
  return {};
}

/** Whether the texts of a place of CSV, or of one below it, are numbers with decimal commas. */
export const hasDecimalCommas = (seen: Seen): boolean =>
  [...seen.fields.values()].some(hasDecimalCommas) ||
  (seen.allMatch('commaNumber') && !seen.allMatch('number') && !seen.allMatch('digits'));

const isMap = ({ fields, count }: Seen): boolean =>
  fields.size >= MANY_FIELDS && [...fields.values()].every((field) => field.count * 2 < count);

function mapOf(seen: Seen, reading: Reading): Guess {
  const guesses = [...seen.fields].map(([name, field]) => guess(name, field, reading));
  const kinds = new Set(guesses.map(({ zod }) => zod));
  const value = kinds.size === 1 ? [...kinds][0] : 'z.unknown()';
  const note = 'Guessed: names that differ from record to record.';
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
  return { type: 'other', zod, json: {}, note: 'Of several types in the sample.' };
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

/** A text of the sample in quotes, for a comment: what ends a line in the text must not end the comment. */
export const quoted = (text: string): string => JSON.stringify(text).replaceAll(/[\u2028\u2029]/g, ' ');

const fieldText = ({ name, zod, isNullable, isOptional }: Field): string =>
  `${propertyName(name)}: ${zod}${isNullable ? '.nullable()' : ''}${isOptional ? '.optional()' : ''},`;

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** A name as the key of an object literal; `__proto__` would set the prototype. */
export const propertyName = (name: string): string =>
  name === '__proto__' ? '["__proto__"]' : IDENTIFIER.test(name) ? name : JSON.stringify(name);

/** An access to the property `name` of `object`. */
export const access = (object: string, name: string): string =>
  IDENTIFIER.test(name) ? `${object}.${name}` : `${object}[${JSON.stringify(name)}]`;
