/** What a place of a sample holds whose values are all texts. */
import type { Guess } from './guess.ts';
import type { Reading, Seen } from './seen.ts';
import { quoted } from './source-text.ts';

/** Words in a name whose digits are no number that anybody adds up: a value with a leading zero may come yet. */
const CODE_NAME = /zip|plz|post_?(al)?_?code|postleitzahl|phone|telefon|mobile|iban|isbn|ean|gtin|vat/i;
/** Words in a name whose texts may repeat in a sample, but are no closed set. */
const OPEN_NAME =
  /(id|key|no|nr|name|title|email|city|town|ort|street|address|customer|client|kunde|account|user|shop|product|sku|text|comment|note|description)$/i;
const MAX_ENUM = 12;
const MAX_ENUM_CHARS = 30;
/** A closed set shows each of its values often, on average. */
const REPEATS_OF_ENUM = 5;

/** Guesses the type of a place whose values are all texts: by the values, and by words in its name. */
export function textOf(name: string, seen: Seen, reading: Reading): Guess {
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
