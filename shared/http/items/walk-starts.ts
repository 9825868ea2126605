/** The chunks from which walks start: those of the upload, and of redrives and discards. */

import type { BatchRow } from '../../batches/batch-row.ts';
import { redrivesWithChunks } from '../../commands/redrive/current-dead.ts';
import type { Redrive } from '../../commands/redrive/redrive-blob.ts';
import { redriveChunkId } from '../../contract/names.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import type { Stored } from '../edge/app.ts';
import type { Positions, WalkStart } from './walk-items.ts';

/** Creates the start of a walk from an entry of the payload's index, without a read of the frame. */
export const startOfUpload = (chunk: string, { firstItem, items }: ChunkEntry): WalkStart => ({
  chunk,
  items: Array.from({ length: items }, (_, n) => ({ index: firstItem + n, attempts: 0 })),
});

/**
 * Reads the redrives of a batch that have chunks and are still stored, the earliest first. Requires three operations per
 * revision.
 */
export async function readRedrives(deps: Stored, batch: BatchRow): Promise<Redrive[]> {
  const redrives: Redrive[] = [];
  for await (const { stored } of redrivesWithChunks(deps, batch)) if (stored) redrives.push(stored.redrive);
  return redrives;
}

/**
 * Returns the chunks of a redrive or discard that contain wanted items. Attempts restart in these chunks. The one chunk of a
 * discard may have a million items, and no frame whose order matters, so only its wanted items are returned.
 */
export const startsOfRedrive = ({ revision, chunks, reason }: Redrive, { from, end }: Positions): WalkStart[] =>
  chunks.flatMap(({ runs }, number) => {
    if (!runs.some(([first, count]) => first < end && first + count > from)) return [];
    const taken = reason === undefined ? runs : runs.map((run) => within(run, { from, end }));
    const items = taken.flatMap(([first, count]) =>
      Array.from({ length: count }, (_, n) => ({ index: first + n, attempts: 0 })),
    );
    return [{ chunk: redriveChunkId(revision, number), items, reason }];
  });

/** The wanted part of a run of positions. */
function within([first, count]: readonly [number, number], { from, end }: Positions): [first: number, count: number] {
  const start = Math.max(first, from);
  return [start, Math.max(0, Math.min(first + count, end) - start)];
}
