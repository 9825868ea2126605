/** Options that several commands share, and parsers of option values. Commander adds the name of the option to their errors. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { didYouMean } from './text/nearest.ts';

/** Creates a parser of whole numbers within bounds; `or` names other values in its error. */
export const whole =
  (min: number, max: number, or = '') =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}${or}.`);
  };

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Creates a parser of durations such as `90s`, `30m`, `4h` or `2d`, in seconds. */
export const duration =
  (maxSeconds: number) =>
  (text: string): number => {
    const [, count = '', unit = 's'] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
    const seconds = count === '' ? 0 : Number(count) * UNIT_SECONDS[unit as keyof typeof UNIT_SECONDS];
    if (seconds >= 1 && seconds <= maxSeconds) return seconds;
    throw new InvalidArgumentError(
      `Expected a duration such as 90s, 30m, 4h or 2d, at most ${maxSeconds / UNIT_SECONDS.d}d.`,
    );
  };

/** Parses the position of an item in its batch. */
export const itemPosition = whole(0, 1_000_000_000);

/** Creates a parser of whole numbers within bounds, or `none`. */
export const wholeOrNone =
  (min: number, max: number) =>
  (text: string): number | 'none' =>
    text === 'none' ? text : whole(min, max, ', or none')(text);

/** Creates a parser of numbers within bounds. */
export const decimal =
  (min: number, max: number) =>
  (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a number from ${min} to ${max}.`);
  };

/** Parses a list such as `1,2,3`. */
export function wholeList(text: string): number[] {
  if (/^\d{1,15}(,\d{1,15})*$/.test(text)) return text.split(',').map(Number);
  throw new InvalidArgumentError('Expected whole numbers separated by commas, such as 17,4710.');
}

const MAX_KEY = 255;

/** Parses an idempotency key. */
export function idempotencyKey(text: string): string {
  if (/^[\x20-\x7e]+$/.test(text) && text.trim() !== '' && text.length <= MAX_KEY) return text;
  throw new InvalidArgumentError(`Expected 1 to ${MAX_KEY} printable ASCII characters.`);
}

/** Parses a day in UTC. */
export function day(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Expected a day such as 2026-09-24.');
}

/** Collects the values of an option that may be repeated. */
export const collect = (text: string, before: string[] = []): string[] => [...before, text];

/** Creates a parser of a choice. Its error suggests the most similar choice. */
export const oneOf =
  (choices: readonly string[]) =>
  (text: string): string => {
    if (choices.includes(text)) return text;
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${didYouMean(text, choices)}`);
  };

/** Returns the values that are not undefined. */
export const definedOnly = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;

/** Days in UTC, as the API accepts them: a single day, or the first and the last. */
export interface DayOptions {
  day?: string;
  from?: string;
  to?: string;
}

/** Adds the options of `DayOptions`; `fallback` is the default number of days. */
export const addDayOptions = (command: Command, fallback: string, only = 'only this day, in UTC'): Command =>
  command
    .addOption(new Option('--day <day>', only).argParser(day).conflicts(['from', 'to']))
    .option('--from <day>', `the first day; by default, ${fallback} days are shown`, day)
    .option('--to <day>', 'the last day; defaults to today', day);
