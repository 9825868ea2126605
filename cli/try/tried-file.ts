import type { UploadEncoding, UploadFormat } from '../../shared/contract/upload-kinds.ts';
import type { CsvOptions } from '../../shared/intake/parse/csv/csv-options.ts';
import { openSource, type SourceOptions, type SourceWorld } from '../upload/input.ts';
import { headOfStream, type OpenHead } from './head-source.ts';

/** A file, and how it is to be read. */
export interface TriedFile {
  /** As it was given. */
  name: string;
  open: OpenHead;
  format: UploadFormat;
  contentType: string;
  /** How it is compressed. */
  encoding: UploadEncoding;
  /** Bytes, if they are known. */
  size: number | undefined;
  csv: CsvOptions | undefined;
}

/** The file, or standard input for `-`. Throws UsageError for what is no file, and for options that do not fit. */
export async function openFile(
  world: SourceWorld & { inform(remark: string): void },
  file: string,
  options: SourceOptions,
): Promise<TriedFile> {
  const { kind, size, csv, remark, isFile, open } = await openSource(world, file, options);
  if (remark !== undefined) world.inform(remark);
  const { format, contentType, encoding, compress } = kind;
  return {
    ...{ name: file, size, csv, format, contentType },
    // What is not compressed yet would be on the way to the app; here it is read as it is.
    encoding: compress ? 'identity' : encoding,
    open: isFile ? open : headOfStream(open()),
  };
}
