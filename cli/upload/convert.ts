/** Excel and Parquet files. The optional package sluice-convert converts them while they are sent. */
import { Readable } from 'node:stream';
import { type CsvOptions, csvOptionsParams } from '../../shared/intake/parse/csv-options.ts';
import { CliError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import { convertedKind, type KindOptions, type UploadKind } from './kind.ts';

type Converter = typeof import('sluice-convert');

/** A file that is converted; `name` is as it was given. */
export interface ConvertedFile extends Pick<KindOptions, 'encoding'> {
  path: string;
  name: string;
  csv?: CsvOptions | undefined;
  sheet?: string | undefined;
}

export interface Conversion {
  kind: UploadKind;
  csv?: CsvOptions;
  isWorkbook?: true;
  remark?: string;
  /** What the idempotency key contains beside the content of the file. */
  as: string;
  open(): Readable;
}

/** The version of the conversion. Increase it when the same file is converted differently, so that its key changes. */
const VERSION = 1;

/**
 * Returns the CSV of an Excel sheet, or the NDJSON of a Parquet file. `load` imports the package. Throws CliError if it is
 * not installed, if the file cannot be read, or if the options do not match it.
 */
export async function convert(
  format: 'excel' | 'parquet',
  { path, name, csv, sheet, encoding }: ConvertedFile,
  load: () => Promise<Converter> = () => import('sluice-convert'),
): Promise<Conversion> {
  const { chooseSheet, excelToCsv, parquetToNdjson } = await load().catch(missing);
  if (format === 'parquet') {
    const open = (): Readable => streamOf(parquetToNdjson({ path, name }));
    return { kind: convertedKind(name, 'ndjson', encoding), as: `parquet/${VERSION}`, open };
  }
  const source = { path, name, sheet, decimal: csv?.decimal };
  const chosen = await chooseSheet(source).catch(refused);
  // The conversion always writes commas and UTF-8, independent of the options.
  const written: CsvOptions = { ...csv, delimiter: ',', charset: 'utf-8' };
  const remark = `Sheet "${chosen.sheet}", one of ${chosen.sheets}; choose another with --sheet`;
  return {
    kind: convertedKind(name, 'csv', encoding),
    csv: written,
    isWorkbook: true,
    ...(chosen.sheets > 1 ? { remark } : {}),
    as: `excel/${VERSION} ${csvOptionsParams(written)} ${chosen.sheet}`,
    open: () => streamOf(excelToCsv(source)),
  };
}

const streamOf = (pieces: AsyncIterable<Buffer>): Readable => Readable.from(explained(pieces), { objectMode: false });

async function* explained(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } catch (error: unknown) {
    refused(error);
  }
}

/** Converts a ConversionError to a CliError. Its class is known only after the package is loaded. */
function refused(error: unknown): never {
  const { name, message, hint } = error as Error & { hint?: string };
  if (name !== 'ConversionError') throw error;
  throw new CliError(message, { exitCode: EXIT.usage, hint, cause: error });
}

function missing(error: unknown): never {
  if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
  throw new CliError('Excel and Parquet files need the optional package sluice-convert, which is not installed.', {
    exitCode: EXIT.usage,
    hint: 'In a clone of Sluice: npm install --global "$(npm pack --silent --workspace sluice-convert)"',
    cause: error,
  });
}
