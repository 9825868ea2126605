import { encodeChunks, type Redrive } from '../../../shared/commands/redrive/redrive-blob.ts';
import { placesOf } from '../../../shared/commands/redrive/redrive-frames.ts';
import { digestOf } from '../../../shared/contract/frame.ts';
import { BATCH } from './factories.ts';

/** Creates a redrive whose chunks take these items, given in ascending order. Its frames are empty. */
export async function redriveOf(chunks: readonly Iterable<number>[], fields: Partial<Redrive> = {}): Promise<Redrive> {
  const empty = { length: 0, bytes: 0, digest: digestOf(Buffer.alloc(0)) };
  const places = await Promise.all(chunks.map(async (items) => ({ ...empty, ...(await placesOf(items)) })));
  return {
    ...{ v: 2, batch: BATCH, revision: 1, version: 1, request: 'r', at: '2026-01-01T00:00:00.000Z' },
    ...{ unreadable: 0, causes: {}, chunks: places.length, entries: await encodeChunks(places) },
    items: places.reduce((sum, { items }) => sum + items, 0),
    ...fields,
  };
}
