/** Options that several commands share, and readers of single ones; the parser reports what does not fit, with the option's name. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { didYouMean } from './text/nearest.ts';

/** A reader of whole numbers within bounds. */
export const whole =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };

/** Reads the position of an item in its batch. */
export const itemPosition = whole(0, 1_000_000_000);

/** Makes a parser of whole numbers within bounds, or `none`. */
export const wholeOrNone =
  (min: number, max: number) =>
  (text: string): number | 'none' => {
    if (text === 'none') return text;
    try {
      return whole(min, max)(text);
    } catch {
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}, or none.`);
    }
  };

/** A reader of numbers within bounds. */
export const decimal =
  (min: number, max: number) =>
  (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a number from ${min} to ${max}.`);
  };

/** Reads `1,2,3`. */
export function wholeList(text: string): number[] {
  if (/^\d{1,15}(,\d{1,15})*$/.test(text)) return text.split(',').map(Number);
  throw new InvalidArgumentError('Expected whole numbers with commas between, such as 17,4710.');
}

const MAX_KEY = 255;

/** Reads an idempotency key. */
export function idempotencyKey(text: string): string {
  if (/^[\x20-\x7e]+$/.test(text) && text.trim() !== '' && text.length <= MAX_KEY) return text;
  throw new InvalidArgumentError(`Expected 1 to ${MAX_KEY} printable ASCII characters.`);
}

/** Reads a day in UTC. */
export function day(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Expected a day such as 2026-09-24.');
}

/** Collects an option that may be repeated. */
export const collect = (text: string, before: string[] = []): string[] => [...before, text];

/** A reader of one of a few values, which names the near one. */
export const oneOf =
  (choices: readonly string[]) =>
  (text: string): string => {
    if (choices.includes(text)) return text;
    throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.${didYouMean(text, choices)}`);
  };

/** Days in UTC, as the API takes them: one, or from the first to the last. */
export interface DayOptions {
  day?: string;
  from?: string;
  to?: string;
}

/** Adds the options of `DayOptions`; `fallback` is how many days there are without any. */
export const addDayOptions = (command: Command, fallback: string, only = 'only this day, in UTC'): Command =>
  command
    .addOption(new Option('--day <day>', only).argParser(day).conflicts(['from', 'to']))
    .addOption(new Option('--from <day>', `the first day; default such that there are ${fallback}`).argParser(day))
    .addOption(new Option('--to <day>', 'the last day; default today').argParser(day));
