import { Problem } from '../../shared/errors.ts';
import type { RawChunk } from '../../shared/intake/chunk-records.ts';

/** The chunks of the first `limit` items. Ends at what cannot be read: the check reports that. */
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

/** The first `items` of a chunk. The lines of the others stay where they do no harm. */
function cutChunk(chunk: RawChunk, items: number): RawChunk {
  let end = 0;
  for (let n = 0; n < items; n++) end = chunk.bytes.indexOf(0x0a, end) + 1;
  return { ...chunk, items, bytes: chunk.bytes.subarray(0, end) };
}

/** The records of chunks as JSON values. */
export const itemsOf = (chunks: readonly RawChunk[]): unknown[] =>
  chunks.flatMap(({ bytes }) =>
    bytes
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): unknown => JSON.parse(line)),
  );
