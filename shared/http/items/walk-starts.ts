/** The chunks from which walks start: those of the upload, and of redrives and discards. */

import type { BatchRow } from '../../batches/batch-row.ts';
import { redrivesWithChunks } from '../../commands/redrive/current-dead.ts';
import { runsFrom } from '../../commands/redrive/item-set.ts';
import { chunksOf, type Redrive } from '../../commands/redrive/redrive-blob.ts';
import { redriveChunkId } from '../../contract/names.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import { Turns } from '../../turns.ts';
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
export async function startsOfRedrive(redrive: Redrive, { from, end }: Positions): Promise<WalkStart[]> {
  const { revision, reason } = redrive;
  const taken = reason === undefined ? { from: 0, end: Number.POSITIVE_INFINITY } : { from, end };
  const starts: WalkStart[] = [];
  const turns = new Turns();
  let number = 0;
  for (const { firstItem, lastItem, steps } of chunksOf(redrive)) {
    const chunk = redriveChunkId(revision, number++);
    await turns.next();
    if (firstItem >= end || lastItem < from) continue;
    const items: WalkStart['items'][number][] = [];
    for (const [first, behind] of runsFrom(firstItem, steps)) {
      const turn = turns.next();
      if (turn) await turn;
      if (first >= taken.end) break;
      for (let index = Math.max(first, taken.from); index < Math.min(behind, taken.end); index += 1)
        items.push({ index, attempts: 0 });
    }
    if (items.some(({ index }) => index >= from && index < end)) starts.push({ chunk, items, reason });
  }
  return starts;
}
