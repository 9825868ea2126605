import { type Command, Option } from 'commander';
import { day } from './options.ts';

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
