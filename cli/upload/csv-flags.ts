import { type Command, InvalidArgumentError, Option } from 'commander';
import { DELIMITERS, FORMATS } from '../../shared/contract/upload-kinds.ts';
import { Problem } from '../../shared/errors.ts';
import { CHARSETS, type CsvOptions, readCsvOptions } from '../../shared/intake/parse/csv/csv-options.ts';
import { ENCODINGS } from './kind.ts';

/** What the options say about how tables are read. */
export interface TableFlags extends CsvOptions {
  /** Name or 1-based number, for Excel. */
  sheet?: string;
}

/** Adds the options that say how a file is read. */
export const addSourceOptions = (command: Command): Command =>
  addTableOptions(
    command
      .addOption(new Option('--format <format>', 'default by the name, - is ndjson').choices(FORMATS))
      .addOption(new Option('--encoding <name>', 'how it is compressed; default by the name').choices(ENCODINGS)),
  );

/** Adds the options about tables: CSV, Excel. */
export function addTableOptions(command: Command): Command {
  const names = Object.keys(DELIMITERS).join(', ');
  return command
    .addOption(
      new Option('--delimiter <name>', `CSV: ${names}, or the character; default found`).argParser(one('delimiter')),
    )
    .addOption(new Option('--decimal <name>', 'CSV, Excel: point (default) or comma').argParser(one('decimal')))
    .addOption(
      new Option('--rename <old=new>', 'CSV, Excel: "Old name=newName"; may be repeated').argParser(
        (text: string, before?: CsvOptions['rename']) => ({ ...before, ...read('rename', text).rename }),
      ),
    )
    .addOption(new Option('--charset <name>', `CSV: ${CHARSETS.join(', ')}`).argParser(one('charset')))
    .option('--sheet <sheet>', 'Excel: name or number; default the first');
}

/** The flags in the words of the service; undefined when none was given. */
export function csvOptionsOf({ delimiter, decimal, rename, charset }: TableFlags): CsvOptions | undefined {
  const options: CsvOptions = {
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(decimal === undefined ? {} : { decimal }),
    ...(rename === undefined ? {} : { rename }),
    ...(charset === undefined ? {} : { charset }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}

const one =
  <N extends 'delimiter' | 'decimal' | 'charset'>(name: N) =>
  (text: string): CsvOptions[N] =>
    read(name, text)[name];

/** The service's own reader, whose words are those of its 400. */
function read(name: keyof CsvOptions, text: string): CsvOptions {
  try {
    return readCsvOptions(new URLSearchParams([[name, text]]));
  } catch (error: unknown) {
    if (!(error instanceof Problem)) throw error;
    throw new InvalidArgumentError(error.message.replace(`${name}: expected`, 'Expected'));
  }
}
