import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { kindOfName } from '../../shared/contract/upload-kinds.ts';
import { type CsvOptions, csvOptionsParams } from '../../shared/intake/parse/csv/csv-options.ts';
import { UsageError } from '../process/errors.ts';
import type { Session } from '../session.ts';
import { chooseSheet, excelToCsv } from './convert/excel.ts';
import { parquetToNdjson } from './convert/parquet.ts';
import { csvOptionsOf, type TableFlags } from './csv-flags.ts';
import { conversionOf, convertedKind, type KindOptions, kindOfFile, kindOfStream, type UploadKind } from './kind.ts';

/** What is to be uploaded, before its content was read. */
export interface Source {
  /** As the user named it; `stdin` for standard input. */
  name: string;
  /** Of the file, without folders; undefined for standard input. */
  fileName: string | undefined;
  kind: UploadKind;
  /** How the service is to read CSV. */
  csv?: CsvOptions | undefined;
  /** Bytes, if they are known before. */
  size: number | undefined;
  /** Whether it can be opened more than once. */
  isFile: boolean;
  isWorkbook?: boolean;
  /** What is worth a remark, such as the sheet that is taken. */
  remark?: string | undefined;
  open(): Readable;
  /** Made from the content; random for standard input. */
  contentKey(): Promise<string>;
}

/** What is to be uploaded, with its idempotency key. */
export interface Input extends Source {
  key: string;
}

/** What decides about the kind of an upload, and how it is read. */
export type SourceOptions = KindOptions & TableFlags;

/** What decides about kind and key. */
export interface InputOptions extends SourceOptions {
  idempotencyKey?: string;
  again?: boolean;
}

/** Reads the content for its key, unless the options say which key it has. */
export async function withKey({ io }: Session, source: Source, options: InputOptions): Promise<Input> {
  const chosen = options.idempotencyKey ?? (options.again ? io.randomId() : undefined);
  return { ...source, key: chosen ?? (await source.contentKey()) };
}

/** Where files are found. */
export interface SourceWorld {
  io: Pick<Session['io'], 'folder' | 'stdin' | 'randomId'>;
}

/** The file, or standard input for `-`; its content is not read. Throws UsageError for what is no file. */
export async function openSource({ io }: SourceWorld, file: string, options: SourceOptions): Promise<Source> {
  const csv = csvOptionsOf(options);
  if (file === '-') {
    const kind = kindOfStream(options);
    const stream = { name: 'stdin', fileName: undefined, kind, size: undefined, isFile: false };
    return { ...stream, ...csvOf(kind, csv), open: () => io.stdin, contentKey: async () => io.randomId() };
  }
  const path = resolve(io.folder, file);
  const size = await sizeOf(path, file);
  const about = { name: file, fileName: basename(path), isFile: true };
  const converted = options.format === undefined ? conversionOf(path) : undefined;
  if (converted === 'excel') return { ...about, ...(await excelSource({ path, name: file, csv }, options)) };
  if (converted === 'parquet') return { ...about, ...parquetSource(path, file, options) };
  const kind = kindOfFile(path, options);
  const { delimiter } = kindOfName(path) ?? {};
  const read = csvOf(kind, delimiter === undefined ? csv : { delimiter, ...csv });
  const open = (): Readable => createReadStream(path);
  return { ...about, ...read, kind, size, open, contentKey: () => contentKey(path, readAs(read.csv)) };
}

/** The options of a CSV upload; other formats have none. */
const csvOf = ({ format }: UploadKind, csv: CsvOptions | undefined): Pick<Source, 'csv'> =>
  format === 'csv' && csv !== undefined ? { csv } : {};

type Converted = Omit<Source, 'name' | 'fileName' | 'isFile'>;

/** Changes with what becomes of the same file, which then has another key. */
const CONVERSION = 1;

async function excelSource(
  { path, name, csv }: { path: string; name: string; csv: CsvOptions | undefined },
  { sheet, encoding }: SourceOptions,
): Promise<Converted> {
  const source = { path, name, sheet, decimal: csv?.decimal };
  const chosen = await chooseSheet(source);
  // Written by the conversion, whatever the options say of other files.
  const said: CsvOptions = { ...csv, delimiter: ',', charset: 'utf-8' };
  const { sheet: taken, sheets } = chosen;
  return {
    kind: convertedKind(name, 'csv', encoding),
    csv: said,
    isWorkbook: true,
    size: undefined,
    remark: sheets > 1 ? `Sheet "${taken}", one of ${sheets}; --sheet chooses another` : undefined,
    open: () => Readable.from(excelToCsv(source), { objectMode: false }),
    contentKey: () => contentKey(path, `excel/${CONVERSION} ${readAs(said)} ${taken}`),
  };
}

const parquetSource = (path: string, name: string, { encoding }: SourceOptions): Converted => ({
  kind: convertedKind(name, 'ndjson', encoding),
  size: undefined,
  open: () => Readable.from(parquetToNdjson({ path, name }), { objectMode: false }),
  contentKey: () => contentKey(path, `parquet/${CONVERSION}`),
});

async function sizeOf(path: string, file: string): Promise<number> {
  const facts = await stat(path).catch((error: unknown) => {
    throw new UsageError(`FILE: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  });
  if (facts.isFile()) return facts.size;
  throw new UsageError(`FILE: ${file} is no regular file`, { hint: 'Pipe it into "sluice submit -".' });
}

const readAs = (csv: CsvOptions | undefined): string => (csv === undefined ? '' : `${csvOptionsParams(csv)}`);

/** The same content, read in the same way, gives the same key: who repeats a command means the same batch. */
async function contentKey(path: string, as: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  if (as !== '') hash.update(`\0${as}`);
  return `sha256-${hash.digest('hex')}`;
}
