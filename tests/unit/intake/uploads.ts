import fc from 'fast-check';
import { Problem, type UploadPosition } from '../../../shared/errors.ts';
import type { RecordBlock } from '../../../shared/intake/parse/record-block.ts';

/** Splits `bytes` at these offsets (any order, any number). */
export async function* cut(bytes: Uint8Array | string, offsets: readonly number[] = []): AsyncGenerator<Buffer> {
  const all = Buffer.from(bytes);
  const sorted = [...offsets].map((offset) => offset % (all.length + 1)).sort((a, b) => a - b);
  for (const [index, start] of [0, ...sorted].entries()) yield all.subarray(start, sorted[index] ?? all.length);
}

/** Yields `bytes` one by one. */
export const byteByByte = (bytes: Uint8Array | string): AsyncGenerator<Buffer> =>
  cut(
    bytes,
    Array.from({ length: Buffer.from(bytes).length }, (_, index) => index),
  );

/** Offsets at which to split. */
export const offsets = fc.array(fc.nat({ max: 5_000 }), { maxLength: 12 });

export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of source) all.push(each);
  return all;
}

export const collectText = async (source: AsyncIterable<Buffer>): Promise<string> =>
  Buffer.concat(await collect(source)).toString();

/** Returns each record with its line, as `line: record`. */
export async function recordsOf(blocks: AsyncIterable<RecordBlock>): Promise<string[]> {
  const records: string[] = [];
  for await (const { bytes, ends, lines } of blocks)
    for (const [index, end] of ends.entries())
      records.push(`${lines[index]}: ${bytes.toString('utf8', ends[index - 1] ?? 0, end - 1)}`);
  return records;
}

/** Returns the problem that ends the reading of `source`, with type and first position; undefined if there is none. */
export async function problemOf(
  source: AsyncIterable<unknown>,
): Promise<{ type: string; detail: string; at: UploadPosition | undefined } | undefined> {
  try {
    await collect(source);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { type: error.type, detail: error.message, at: error.errors[0] };
  }
}
