import type { Readable } from 'node:stream';
import type { UploadEncoding, UploadFormat } from '../../shared/contract/upload-kinds.ts';
import type { CsvOptions } from '../../shared/intake/parse/csv-options.ts';
import { openSource, type SourceOptions, type SourceWorld } from '../upload/input.ts';

export interface TriedFile {
  name: string;
  open: OpenHead;
  format: UploadFormat;
  contentType: string;
  encoding: UploadEncoding;
  size: number | undefined;
  csv: CsvOptions | undefined;
}

/** Opens the file, or standard input for `-`. Throws UsageError if it is not a file, or if the options do not match it. */
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
    // `submit` would compress the file while sending it; here it is read uncompressed.
    encoding: compress ? 'identity' : encoding,
    open: isFile ? open : headOfStream(open()),
  };
}

/** Opens the beginning of an upload; may be called several times. */
type OpenHead = () => AsyncIterable<Uint8Array>;

/** Makes the beginning of a stream readable several times by keeping the pieces that were read. */
function headOfStream(stream: Readable): OpenHead {
  const kept: Uint8Array[] = [];
  const rest = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return async function* () {
    for (let index = 0; ; index++) {
      if (index === kept.length) {
        const next = await rest.next();
        if (next.done) return;
        kept.push(Buffer.from(next.value));
      }
      const piece = kept[index];
      if (piece) yield piece;
    }
  };
}
