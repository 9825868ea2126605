/**
 * Collects statistics on one field of the records of a sample. Only counts are kept, so that a large sample uses little
 * memory.
 */
import { z } from 'zod';

/** Maximum number of distinct texts that are counted; a field with more is neither an enum nor a key. */
const MAX_TEXTS = 1_000;
/** If a text is longer than this, the distinct texts of the field are not counted. */
const MAX_TEXT_CHARS = 100;

/** The notation of values in the sample. */
export interface Reading {
  /** Whether every value is a text, as in CSV, so that numbers and booleans must be recognized in texts. */
  fromText: boolean;
  /** The decimal separator of numbers in texts. */
  decimal: '.' | ',';
}

const isValid =
  (schema: z.ZodType) =>
  (text: string): boolean =>
    schema.safeParse(text).success;

/**
 * Other types that a text may have. If the sample has decimal commas, `integer` and `number` are matched with a point instead.
 */
const PATTERNS = {
  // At most 15 digits, which a double represents exactly.
  integer: (text: string) => /^-?(0|[1-9]\d{0,14})$/.test(text),
  number: (text: string) => /^-?(0|[1-9]\d{0,14})(\.\d{1,15})?$/.test(text),
  commaNumber: (text: string) => /^-?(\d{1,15}|\d{1,3}(\.\d{3})+)(,\d{1,15})?$/.test(text),
  boolean: (text: string) => /^(true|false)$/i.test(text),
  digits: (text: string) => /^\d+$/.test(text),
  date: isValid(z.iso.date()),
  utcTime: isValid(z.iso.datetime()),
  offsetTime: isValid(z.iso.datetime({ offset: true })),
  localTime: isValid(z.iso.datetime({ offset: true, local: true })),
} as const;
export type Pattern = keyof typeof PATTERNS;
const PATTERN_NAMES = Object.keys(PATTERNS) as Pattern[];

type Kind = 'null' | 'text' | 'integer' | 'number' | 'boolean' | 'object' | 'array';

/** The counts of the values of one field. */
export class Seen {
  /** Number of values of any kind, including null; a missing field or an empty cell does not count. */
  count = 0;
  readonly kinds = new Map<Kind, number>();
  /** Distinct texts with their counts; undefined if there are too many. */
  texts: Map<string, number> | undefined = new Map();
  /** The smallest number, including numbers in texts. */
  min = Number.POSITIVE_INFINITY;
  /** Maximum number of decimals. */
  decimals = 0;
  /** Whether a text of digits has a leading zero. */
  hasLeadingZero = false;
  readonly fields = new Map<string, Seen>();
  elements: Seen | undefined;
  readonly #reading: Reading;
  readonly #matches = new Map<Pattern, number>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Returns the number of values of these kinds. */
  of(...kinds: Kind[]): number {
    return kinds.reduce((sum, kind) => sum + (this.kinds.get(kind) ?? 0), 0);
  }

  /** Whether all texts match; false if there are none. */
  allMatch(pattern: Pattern): boolean {
    const texts = this.of('text');
    return texts > 0 && this.#matches.get(pattern) === texts;
  }

  add(value: unknown): void {
    if (value === undefined || (value === '' && this.#reading.fromText)) return;
    this.count++;
    const kind = kindOf(value);
    this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
    if (typeof value === 'string') this.#addText(value);
    else if (typeof value === 'number') this.#addNumber(value);
    else if (Array.isArray(value)) this.#addElements(value);
    else if (typeof value === 'object' && value !== null) this.#addFields(value);
  }

  #addText(text: string): void {
    const plain = this.#reading.fromText && this.#reading.decimal === ',' ? text.replace(',', '.') : text;
    for (const name of PATTERN_NAMES) {
      const subject = name === 'integer' || name === 'number' ? plain : text;
      // A pattern that has failed once is not tested again.
      if ((this.#matches.get(name) ?? 0) === this.of('text') - 1 && PATTERNS[name](subject))
        this.#matches.set(name, this.of('text'));
    }
    if (this.#reading.fromText && PATTERNS.number(plain)) this.#addNumber(Number(plain));
    this.hasLeadingZero ||= /^0\d/.test(text);
    if (text.length > MAX_TEXT_CHARS) this.texts = undefined;
    this.texts?.set(text, (this.texts.get(text) ?? 0) + 1);
    if (this.texts && this.texts.size > MAX_TEXTS) this.texts = undefined;
  }

  #addNumber(value: number): void {
    this.min = Math.min(this.min, value);
    this.decimals = Math.max(this.decimals, /\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0);
  }

  #addElements(values: readonly unknown[]): void {
    this.elements ??= new Seen(this.#reading);
    for (const value of values) this.elements.add(value);
  }

  #addFields(record: object): void {
    for (const [name, value] of Object.entries(record)) {
      const field = this.fields.get(name) ?? new Seen(this.#reading);
      this.fields.set(name, field);
      field.add(value);
    }
  }
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'integer' : 'number';
  return typeof value === 'boolean' ? 'boolean' : typeof value === 'string' ? 'text' : 'object';
}
