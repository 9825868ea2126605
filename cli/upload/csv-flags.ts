import { type Command, InvalidArgumentError, Option } from 'commander';
import { DELIMITERS, FORMATS } from '../../shared/contract/upload-kinds.ts';
import { Problem } from '../../shared/errors.ts';
import { CHARSETS, type CsvOptions, readCsvOptions } from '../../shared/intake/parse/csv-options.ts';
import { definedOnly } from '../options.ts';
import { ENCODINGS } from './kind.ts';

export interface TableFlags extends CsvOptions {
  /** Name or 1-based number of the Excel sheet. */
  sheet?: string;
}

/** Adds the options for reading a file. */
export const addSourceOptions = (command: Command): Command =>
  addTableOptions(
    command
      .addOption(
        new Option('--format <format>', 'defaults to that of the file name; ndjson for standard input').choices(
          FORMATS,
        ),
      )
      .addOption(new Option('--encoding <name>', 'compression; defaults to that of the file name').choices(ENCODINGS)),
  );

/** Adds the options for reading CSV and Excel. */
export function addTableOptions(command: Command): Command {
  const names = Object.keys(DELIMITERS).join(', ');
  return command
    .option('--delimiter <name>', `CSV: ${names}, or the character; detected by default`, one('delimiter'))
    .option('--decimal <name>', 'CSV, Excel: point (default) or comma', one('decimal'))
    .option(
      '--rename <old=new>',
      'CSV, Excel: "Old name=newName"; may be repeated',
      (text: string, before?: CsvOptions['rename']) => ({ ...before, ...read('rename', text).rename }),
    )
    .option('--charset <name>', `CSV: ${CHARSETS.join(', ')}`, one('charset'))
    .option('--sheet <sheet>', 'Excel: name or number; defaults to the first');
}

/** Returns the options as the API accepts them; undefined if none was given. */
export function csvOptionsOf({ delimiter, decimal, rename, charset }: TableFlags): CsvOptions | undefined {
  const options: CsvOptions = definedOnly({ delimiter, decimal, rename, charset });
  return Object.keys(options).length === 0 ? undefined : options;
}

const one =
  <N extends 'delimiter' | 'decimal' | 'charset'>(name: N) =>
  (text: string): CsvOptions[N] =>
    read(name, text)[name];

/** Reads an option with the parser of the app, so that the errors are the same. */
function read(name: keyof CsvOptions, text: string): CsvOptions {
  try {
    return readCsvOptions(new URLSearchParams([[name, text]]));
  } catch (error: unknown) {
    if (!(error instanceof Problem)) throw error;
    throw new InvalidArgumentError(error.message.replace(`${name}: expected`, 'Expected'));
  }
}
