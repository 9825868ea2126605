/** The upload of all contenders: a month of usage, as `npm start` generates it. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { usageBlocks } from '../../demo/usage/generate.ts';

const LEVEL_3 = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Writes `items` items as zstd-compressed NDJSON. */
export const writeUpload = (file: string, items: number): Promise<void> =>
  compressTo(file, Readable.from(usageBlocks({ items })));

/** Writes the items of a waiting handler. */
export const writeWaitingUpload = (file: string, items: number): Promise<void> =>
  compressTo(file, Readable.from([`${waitingLines(items).join('\n')}\n`]));

const compressTo = (file: string, text: Readable): Promise<void> =>
  pipeline(text, createZstdCompress(LEVEL_3), createWriteStream(file));

/** The lines of `items` items of a waiting handler. */
export const waitingLines = (items: number, first = 0): string[] =>
  Array.from({ length: items }, (_, index) => JSON.stringify({ n: first + index }));

/** The lines of `items` items. */
export function usageLines(items: number): string[] {
  const lines: string[] = [];
  for (const block of usageBlocks({ items })) lines.push(...block.trimEnd().split('\n'));
  return lines;
}
