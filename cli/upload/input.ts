import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { kindOfName } from '../../shared/contract/upload-kinds.ts';
import { type CsvOptions, csvOptionsParams } from '../../shared/intake/parse/csv-options.ts';
import { UsageError } from '../process/errors.ts';
import type { Session } from '../session.ts';
import { fileAt, isAddress } from './address.ts';
import { convert } from './convert.ts';
import { csvOptionsOf, type TableFlags } from './csv-flags.ts';
import { conversionOf, type KindOptions, kindOfFile, kindOfStream, type UploadKind } from './kind.ts';

/** The source of an upload, before its content is read. */
export interface Source {
  /** The file name as it was given; `stdin` for standard input; an address without its query. */
  name: string;
  /** The file name without folders; undefined for standard input. */
  fileName: string | undefined;
  kind: UploadKind;
  csv?: CsvOptions | undefined;
  size: number | undefined;
  isFile: boolean;
  isWorkbook?: boolean;
  /** A remark for the user, such as the chosen sheet. */
  remark?: string | undefined;
  open(): Readable;
  /** Returns the idempotency key: a hash of the content, or a random one for standard input and addresses. */
  contentKey(): Promise<string>;
}

export interface Input extends Source {
  key: string;
  /** Whether the same command would choose another key. */
  isKeyRandom: boolean;
}

/** The options that determine the kind of an upload and how it is read. */
export type SourceOptions = KindOptions & TableFlags;

/** The options that determine the kind and the key of an upload. */
export interface InputOptions extends SourceOptions {
  idempotencyKey?: string;
  again?: boolean;
}

/** Adds the idempotency key, computed from the content unless the options determine it. */
export async function withKey({ io }: Session, source: Source, options: InputOptions): Promise<Input> {
  const { idempotencyKey, again = false } = options;
  if (idempotencyKey !== undefined) return { ...source, key: idempotencyKey, isKeyRandom: false };
  const key = again ? io.randomId() : await source.contentKey();
  return { ...source, key, isKeyRandom: again || !source.isFile };
}

export interface SourceWorld {
  io: Pick<Session['io'], 'folder' | 'stdin' | 'randomId' | 'fetch'>;
}

/** Opens a file, an address, or standard input for `-`, without reading its content. Throws UsageError if it is none. */
export async function openSource({ io }: SourceWorld, file: string, options: SourceOptions): Promise<Source> {
  const csv = csvOptionsOf(options);
  if (file === '-') {
    const kind = kindOfStream(options);
    const stream = { name: 'stdin', fileName: undefined, kind, size: undefined, isFile: false };
    return { ...stream, ...csvOf(kind, csv), open: () => io.stdin, contentKey: async () => io.randomId() };
  }
  if (isAddress(file)) {
    const found = fileAt(file, io, options);
    const read = tableOf(found.kind, found.fileName, csv);
    return { ...found, ...read, size: undefined, isFile: false, contentKey: async () => io.randomId() };
  }
  const path = resolve(io.folder, file);
  const size = await sizeOf(path, file);
  const about = { name: file, fileName: basename(path), isFile: true };
  const converted = options.format === undefined ? conversionOf(path) : undefined;
  if (converted !== undefined) {
    const { as, ...sent } = await convert(converted, { path, name: file, csv, ...options });
    return { ...about, ...sent, size: undefined, contentKey: () => contentKey(path, as) };
  }
  const kind = kindOfFile(path, options);
  const read = tableOf(kind, path, csv);
  const open = (): Readable => createReadStream(path);
  // The name determines the format, unless --format gives another one.
  const format = kind.format === kindOfName(path)?.format ? '' : kind.format;
  return { ...about, ...read, kind, size, open, contentKey: () => contentKey(path, `${format}${readAs(read.csv)}`) };
}

const csvOf = ({ format }: UploadKind, csv: CsvOptions | undefined): Pick<Source, 'csv'> =>
  format === 'csv' && csv !== undefined ? { csv } : {};

/** Returns the options of a file whose name may contain the delimiter. */
function tableOf(kind: UploadKind, name: string, csv: CsvOptions | undefined): Pick<Source, 'csv'> {
  const { delimiter } = kindOfName(name) ?? {};
  return csvOf(kind, delimiter === undefined ? csv : { delimiter, ...csv });
}

async function sizeOf(path: string, file: string): Promise<number> {
  const facts = await stat(path).catch((error: unknown) => {
    throw new UsageError(`FILE: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  });
  if (facts.isFile()) return facts.size;
  throw new UsageError(`FILE: expected a regular file, got ${file}`, {
    hint: 'Use a pipe: "sluice submit -" reads standard input.',
  });
}

const readAs = (csv: CsvOptions | undefined): string => (csv === undefined ? '' : `${csvOptionsParams(csv)}`);

/** Computes the key from the content and the reading options, so that repeating a command returns the same batch. */
async function contentKey(path: string, as: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  if (as !== '') hash.update(`\0${as}`);
  return `sha256-${hash.digest('hex')}`;
}
