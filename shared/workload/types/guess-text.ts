/** Guesses the type of texts, from the texts and from words in the name of their field. */
import { z } from 'zod';
import { isPlainNumber } from './cells.ts';
import type { Guess, Reading } from './guess.ts';

/** Field names whose digits are codes and not numbers: other files may contain values with a leading zero. */
const CODE_NAME = /zip|plz|post_?(al)?_?code|postleitzahl|phone|telefon|mobile|iban|isbn|ean|gtin|vat/i;
/** Field names whose texts may repeat in a sample, but are not a closed set. */
const OPEN_NAME =
  /(id|key|no|nr|name|title|email|city|town|ort|street|address|customer|client|kunde|account|user|shop|product|sku|text|comment|note|description)$/i;
const MAX_ENUM = 12;
const WORD = /^[\p{L}\d][\p{L}\d _./+-]{0,29}$/u;
/** Minimum average number of occurrences per value in a closed set. */
const REPEATS_OF_ENUM = 5;

const BOOLEAN = /^(true|false)$/i;
const DIGITS = /^\d+$/;
const COMMA_NUMBER = /^-?(\d{1,15}|\d{1,3}(\.\d{3})+)(,\d{1,15})?$/;
/** The formats of times with the options of `z.iso.datetime`, the most specific first. JSON Schema knows only `date-time`. */
export const DATE_TIMES: Readonly<Record<string, { offset?: true; local?: true }>> = {
  'utc-date-time': {},
  'date-time': { offset: true },
  'local-date-time': { offset: true, local: true },
};
const TIMES = [
  ['date', z.iso.date()] as const,
  ...Object.entries(DATE_TIMES).map(([format, options]) => [format, z.iso.datetime(options)] as const),
];

/** Guesses the type of a field from its texts, of which there is at least one. */
export function guessText(name: string, texts: readonly string[], reading: Reading): Guess {
  const guess = (reading.fromText ? guessCells(name, texts, reading) : undefined) ?? guessTime(texts);
  return guess ?? guessEnum(name, texts) ?? { type: 'text', json: { type: 'string' }, ...noteOn(name, texts, reading) };
}

/** Recognizes numbers and booleans in CSV cells. */
function guessCells(name: string, texts: readonly string[], { decimal }: Reading): Guess | undefined {
  if (texts.every((text) => BOOLEAN.test(text))) return { type: 'boolean', json: { type: 'boolean' } };
  const cells = decimal === ',' ? texts.map((text) => text.replace(',', '.')) : texts;
  if (CODE_NAME.test(name) || !cells.every(isPlainNumber)) return undefined;
  const type = cells.some((cell) => cell.includes('.')) ? 'number' : 'integer';
  return { type, json: { type }, values: cells.map(Number) };
}

function guessTime(texts: readonly string[]): Guess | undefined {
  const found = TIMES.find(([, time]) => texts.every((text) => time.safeParse(text).success));
  return found && { type: 'time', json: { type: 'string', format: found[0] } };
}

function guessEnum(name: string, texts: readonly string[]): Guess | undefined {
  const values = [...new Set(texts)].toSorted();
  const isClosed = values.length > 1 && values.length <= MAX_ENUM && texts.length >= values.length * REPEATS_OF_ENUM;
  if (!isClosed || OPEN_NAME.test(name) || !values.every((value) => WORD.test(value))) return undefined;
  const note = 'Guessed: the sample has no other values. z.string() accepts any text.';
  return { type: 'enum', json: { type: 'string', enum: values }, note };
}

function noteOn(name: string, texts: readonly string[], { fromText }: Reading): { note?: string } {
  const [first = ''] = texts;
  if (texts.length > 1 && first.length <= MAX_NOTED && texts.every((text) => text === first))
    return { note: `Always ${JSON.stringify(first)} in the sample.` };
  const isDigits = texts.every((text) => DIGITS.test(text));
  if (isDigits && texts.some((text) => /^0\d/.test(text))) return { note: 'Text, because of leading zeros.' };
  if (isDigits && fromText)
    return {
      note: CODE_NAME.test(name)
        ? 'Text, because the name suggests a code and not a number.'
        : 'Text, because a number cannot hold so many digits.',
    };
  if (texts.every(isPlainNumber)) return { note: 'The sample contains only numbers, written as text.' };
  return fromText && areCommaNumbers(texts)
    ? { note: 'The sample has decimal commas: --decimal comma reads them as numbers.' }
    : {};
}

const MAX_NOTED = 100;

const areCommaNumbers = (texts: readonly unknown[]): boolean => {
  const all = (pattern: RegExp): boolean => texts.every((text) => typeof text === 'string' && pattern.test(text));
  return texts.length > 0 && all(COMMA_NUMBER) && !all(DIGITS);
};

/** Whether values of CSV, or those of a field, are numbers with decimal commas. */
export const hasDecimalCommas = ({ fields, values = [] }: Guess): boolean =>
  fields === undefined ? areCommaNumbers(values) : fields.some(hasDecimalCommas);
