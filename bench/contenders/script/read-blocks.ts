/** Reads a zstd file of NDJSON with only Node, so that slow code of Sluice cannot lower the reference rate. */
import { createReadStream } from 'node:fs';
import { createZstdDecompress } from 'node:zlib';

const LF = 0x0a;
/** Bytes per read and per block: large enough that the cost of a message to a thread is negligible. */
const BLOCK_BYTES = 256 * 1024;

/** Yields blocks of whole lines, each in a separate buffer, so that it can be transferred to a thread. */
export async function* readBlocks(file: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const source = createReadStream(file, { highWaterMark: BLOCK_BYTES });
  const pieces = source.pipe(createZstdDecompress({ chunkSize: BLOCK_BYTES })) as AsyncIterable<Buffer>;
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const end = piece.lastIndexOf(LF) + 1;
    if (end > 0) yield joined(rest, piece.subarray(0, end));
    rest = end > 0 ? piece.subarray(end) : joined(rest, piece);
  }
  if (rest.length > 0) yield joined(rest);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Yields the lines in groups of `size`; the last group may have fewer. */
export async function* readGroups(file: string, size: number): AsyncGenerator<string[]> {
  let group: string[] = [];
  for await (const block of readBlocks(file)) {
    for (const line of Buffer.from(block.buffer).toString().split('\n')) {
      if (line === '') continue;
      if (group.push(line) < size) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}
