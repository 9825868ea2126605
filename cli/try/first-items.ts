import { Problem } from '../../shared/errors.ts';
import type { RawChunk } from '../../shared/intake/chunk-records.ts';

/** Returns the chunks of the first `limit` items. Stops at unreadable data without an error, because the check reports it. */
export async function firstChunks(chunks: AsyncIterable<RawChunk>, limit: number): Promise<RawChunk[]> {
  const first: RawChunk[] = [];
  let left = limit;
  try {
    for await (const chunk of chunks) {
      first.push(chunk.items <= left ? chunk : cutChunk(chunk, left));
      left -= chunk.items;
      if (left <= 0) break;
    }
  } catch (error: unknown) {
    if (!(error instanceof Problem)) throw error;
  }
  return first;
}

/** Returns the first `items` of a chunk. Its list of line numbers is not cut: the surplus entries are not used. */
function cutChunk(chunk: RawChunk, items: number): RawChunk {
  let end = 0;
  for (let n = 0; n < items; n++) end = chunk.bytes.indexOf(0x0a, end) + 1;
  return { ...chunk, items, bytes: chunk.bytes.subarray(0, end) };
}

/** Returns the records of chunks as JSON values. */
export const itemsOf = (chunks: readonly RawChunk[]): unknown[] =>
  chunks.flatMap(({ bytes }) =>
    bytes
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line)),
  );
