import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { CsvOptions } from '../../shared/intake/parse/csv-options.ts';
import type { UploadEncoding } from '../../shared/intake/parse/formats.ts';
import { UsageError } from '../errors.ts';
import type { Session } from '../session.ts';
import { type KindOptions, kindOfFile, kindOfStream, type UploadKind } from '../upload/kind.ts';
import { type CsvFlags, readCsvFlags } from './csv-flags.ts';
import { headOfFile, headOfStream, type OpenHead } from './head-source.ts';

/** A file, and how it is to be read. */
export interface TriedFile {
  /** As it was given. */
  name: string;
  open: OpenHead;
  kind: UploadKind;
  /** Bytes, if they are known. */
  size: number | undefined;
  csv: CsvOptions;
  items: number;
}

/** The file, or standard input for `-`. Throws UsageError for what is no file, and for options that do not fit. */
export async function openFile(
  { io }: Session,
  name: string,
  options: KindOptions & CsvFlags & { items: number },
): Promise<TriedFile> {
  const common = { name, csv: readCsvFlags(options), items: options.items };
  if (name === '-') return { ...common, kind: kindOfStream(options), open: headOfStream(io.stdin), size: undefined };
  const path = resolve(io.folder, name);
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`FILE: cannot read ${name} (${error.code})`, { cause: error });
  });
  if (!facts.isFile()) throw new UsageError(`FILE: ${name} is no regular file`);
  return { ...common, kind: kindOfFile(path, options), open: headOfFile(path), size: facts.size };
}

/** `compress` is how the CLI would send it: here it is read as it lies. */
export const encodingOf = ({ encoding, compress }: UploadKind): UploadEncoding => (compress ? 'identity' : encoding);
