/**
 * Guesses the types of items from a sample. quicktype-core 26 (19 MB with its dependencies) was tried and rejected: it does
 * not distinguish integers from other numbers, treats every repeated text as an enum and every time as a Date (which JSON
 * does not have), supports neither CSV nor leading zeros, and does not comment on its guesses.
 */
import type { Field, Guess, Reading } from './guess.ts';
import { guessText } from './guess-text.ts';
import { NAMED_TYPES, NUMBER, TYPES, typesOf } from './types.ts';

/** Guesses the type of the records of a sample. */
export const guessItem = (records: readonly object[], reading: Reading): Guess & { fields: readonly Field[] } =>
  guessObject(fieldsOf(records, reading));

/** An object with at least this many fields, each of them absent in most records, is a map of names to values. */
const MANY_FIELDS = 20;

function guess(name: string, values: readonly unknown[], reading: Reading): Guess {
  const present = values.filter((value) => value !== null);
  const types = typesOf(present);
  if (types === 0) return guessNothing(values, reading);
  if (types === TYPES.text) return guessText(name, present as string[], reading);
  if ((types & ~NUMBER) === 0) return plain(present.every(Number.isSafeInteger) ? 'integer' : 'number');
  if (types === TYPES.boolean) return plain('boolean');
  if (types === TYPES.array) return guessArray(name, present.flat(), reading);
  if (types !== TYPES.object) return guessMixed(types);
  const fields = fieldsOf(present as object[], reading);
  const isMap = fields.length >= MANY_FIELDS && fields.every(({ count }) => count * 2 < present.length);
  return isMap ? guessMap(fields) : guessObject(fields);
}

const plain = (type: 'integer' | 'number' | 'boolean'): Guess => ({ type, json: { type } });

function guessNothing({ length }: readonly unknown[], { fromText }: Reading): Guess {
  if (fromText) return { type: 'text', json: { type: 'string' }, note: 'Empty in the sample.' };
  return { type: 'unknown', json: {}, ...(length > 0 ? { note: 'Always null in the sample.' } : {}) };
}

function guessArray(name: string, elements: readonly unknown[], reading: Reading): Guess {
  if (elements.length === 0) return { type: 'array', json: { type: 'array' }, note: 'Always empty in the sample.' };
  const { note, ...element } = guess(name, elements, reading);
  const isNullable = elements.includes(null);
  const json = { type: 'array', items: element.json };
  return { type: 'array', json, element: { ...element, isNullable }, ...(note === undefined ? {} : { note }) };
}

function guessMap(fields: readonly Field[]): Guess {
  const [first, ...others] = fields;
  const isAlike = others.every(({ json }) => JSON.stringify(json) === JSON.stringify(first?.json));
  const note = 'Guessed: the names differ from record to record.';
  return {
    type: 'map',
    json: { type: 'object' },
    note,
    ...(first && isAlike ? { element: { ...first, note: '' } } : {}),
  };
}

function guessMixed(types: number): Guess {
  const note = 'The sample has several types.';
  if (types & (TYPES.object | TYPES.array)) return { type: 'unknown', json: {}, note };
  const { string, integer, number, boolean } = NAMED_TYPES;
  const numbers = types & TYPES.fraction ? { number } : { integer };
  const names = Object.entries({ string, ...numbers, boolean }).filter(([, type]) => types & (type ?? 0));
  return { type: 'mixed', json: { type: names.map(([name]) => name) }, note };
}

const guessObject = (fields: readonly Field[]): Guess & { fields: readonly Field[] } => ({
  type: 'object',
  json: {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, json }) => [name, json])),
    required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
  },
  fields,
});

function fieldsOf(records: readonly object[], reading: Reading): (Field & { count: number })[] {
  const found = new Map<string, unknown[]>();
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) {
    const values = found.get(name) ?? [];
    found.set(name, values);
    // An empty cell is an absent value.
    if (value !== undefined && !(value === '' && reading.fromText)) values.push(value);
  }
  return [...found].map(([name, values]) => ({
    values: values.filter((value) => value !== null),
    ...guess(name, values, reading),
    ...{ name, count: values.length },
    isOptional: values.length < records.length,
    isNullable: values.includes(null),
  }));
}
