/** The upload that all contenders work on: a month of usage, as `npm start` makes it. */
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { usageBlocks } from '../../demo/usage/generate.ts';

const LEVEL_3 = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/** Writes `items` items as zstd-compressed NDJSON. */
export async function writeUpload(file: string, items: number): Promise<void> {
  await pipeline(Readable.from(usageBlocks({ items })), createZstdCompress(LEVEL_3), createWriteStream(file));
}

/** The lines of `items` items. */
export function usageLines(items: number): string[] {
  const lines: string[] = [];
  for (const block of usageBlocks({ items })) lines.push(...block.trimEnd().split('\n'));
  return lines;
}
