import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompressSync } from 'node:zlib';
import { readCsv } from './read-csv.ts';

/**
 * Yields the records of a file, by its name: .ndjson or .jsonl, .json (an array), .csv, each also as .gz, .br or .zst.
 */
export async function* readRecords(file: string): AsyncGenerator<unknown> {
  const name = file.toLowerCase().replace(/\.(gz|br|zst)$/, '');
  const bytes = await readDecoded(file);
  if (name.endsWith('.csv')) yield* readCsv(bytes.toString('utf8'));
  else if (name.endsWith('.json')) yield* JSON.parse(bytes.toString('utf8')) as unknown[];
  else yield* readLines(bytes);
}

const LF = 0x0a;

/** Cuts bytes, not text, because a file may be longer than the maximum length of a string. */
function* readLines(bytes: Buffer): Generator<unknown> {
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(LF, start);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.toString('utf8', start, end);
    if (line.trim() !== '') yield JSON.parse(line);
    start = end + 1;
  }
}

async function readDecoded(file: string): Promise<Buffer> {
  const bytes = await readFile(file);
  const suffix = /\.(gz|br|zst)$/.exec(file.toLowerCase())?.[1];
  if (suffix === 'gz') return promisify(gunzip)(bytes);
  if (suffix === 'br') return promisify(brotliDecompress)(bytes);
  return suffix === 'zst' ? unzstd(bytes) : bytes;
}

/** Magic numbers of frames without data: 0x184D2A50 to 0x184D2A5F (RFC 8878, 3.1.2). */
const SKIPPABLE = 0x184d2a5;

/** Decompresses each frame: Node's decoder stops after the first one, without an error. */
function unzstd(bytes: Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    if (rest.readUInt32LE(0) >>> 4 === SKIPPABLE) {
      rest = rest.subarray(8 + rest.readUInt32LE(4));
      continue;
    }
    // @types/node does not declare that `info` changes the result.
    const frame = zstdDecompressSync(rest, { info: true }) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    frames.push(frame.buffer);
    rest = rest.subarray(frame.engine.bytesWritten);
  }
  return Buffer.concat(frames);
}
