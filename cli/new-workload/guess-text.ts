/** Guesses the type of a field whose sample values are all texts. */
import type { Guess } from './guess.ts';
import type { Reading, Seen } from './seen.ts';
import { quoted } from './source-text.ts';

/** Field names whose digits are codes and not numbers: other files may contain values with a leading zero. */
const CODE_NAME = /zip|plz|post_?(al)?_?code|postleitzahl|phone|telefon|mobile|iban|isbn|ean|gtin|vat/i;
/** Field names whose texts may repeat in a sample, but are not a closed set. */
const OPEN_NAME =
  /(id|key|no|nr|name|title|email|city|town|ort|street|address|customer|client|kunde|account|user|shop|product|sku|text|comment|note|description)$/i;
const MAX_ENUM = 12;
const MAX_ENUM_CHARS = 30;
/** Minimum average number of occurrences per value in a closed set. */
const REPEATS_OF_ENUM = 5;

/** Guesses the type of a field whose values are all texts, from the values and from words in its name. */
export function textOf(name: string, seen: Seen, reading: Reading): Guess {
  if (reading.fromText) {
    const number = numberIn(name, seen);
    if (number !== undefined) return number;
  }
  return timeOf(seen) ?? enumOf(name, seen) ?? { ...TEXT, ...noteOn(name, seen, reading) };
}

const TEXT = { type: 'text', zod: 'z.string()', json: { type: 'string' } } as const;

/** Recognizes numbers and booleans in CSV cells. */
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
    note: 'Guessed: the sample has no other values. z.string() accepts any text.',
  };
}

const isWord = (text: string): boolean => text.length <= MAX_ENUM_CHARS && /^[\p{L}\d][\p{L}\d _./+-]*$/u.test(text);

function noteOn(name: string, seen: Seen, { fromText }: Reading): { note?: string } {
  const [only] = seen.texts?.size === 1 && seen.count > 1 ? seen.texts.keys() : [];
  if (only !== undefined) return { note: `Always ${quoted(only)} in the sample.` };
  if (seen.allMatch('digits') && seen.hasLeadingZero) return { note: 'Text, because of leading zeros.' };
  if (seen.allMatch('digits') && fromText)
    return {
      note: CODE_NAME.test(name)
        ? 'Text, because the name suggests a code and not a number.'
        : 'Text, because a number cannot hold so many digits.',
    };
  if (seen.allMatch('number')) return { note: 'The sample contains only numbers, written as text.' };
  if (fromText && hasDecimalCommas(seen))
    return { note: 'The sample has decimal commas: --decimal comma reads them as numbers.' };
  return {};
}

/** Whether the texts of a CSV field, or of one of its subfields, are numbers with decimal commas. */
export const hasDecimalCommas = (seen: Seen): boolean =>
  [...seen.fields.values()].some(hasDecimalCommas) ||
  (seen.allMatch('commaNumber') && !seen.allMatch('number') && !seen.allMatch('digits'));
