import type { BatchRow } from '../../batches/batch-row.ts';
import { type ChunkEntry, chunkOfItem } from '../../contract/payload-index.ts';
import type { Stored } from '../edge/app.ts';
import { type ChunkGroup, type ItemStatus, readStatuses } from './item-statuses.ts';
import type { ItemState } from './schemas.ts';
import { readRedrives } from './walk-starts.ts';

/**
 * Maximum that one request reads of the upload and of retries and dead letters: parsing 64 MiB takes about a second of the
 * instance's main thread. A link leads to the next page.
 */
export const SCAN = { bytes: 64 * 1024 * 1024, items: 200_000, chunks: 2_000 };
/**
 * Maximum that is read between two checks of these bounds. One query returns the rows of 500 chunks, and its thousand rows
 * usually include their follow-ups. A dead letter may be a hundred times as large as its item, but adds no more than about
 * 10,000 bytes to it.
 */
export const GROUP = { chunks: 500, items: 10_000 };

/** The items to select: at most `limit` from position `from` on, optionally only those in `state`. */
export interface Selection {
  from: number;
  limit: number;
  state: ItemState | undefined;
}

type Most = Record<keyof typeof SCAN, number>;
export interface Bounds {
  scan: Most;
  group: Record<keyof typeof GROUP, number>;
}

/**
 * Reads the states of items group by group, until the page is full or the bounds are reached. The given chunks begin with that
 * of the first item, and are one more than the bounds allow to read, unless the upload ends earlier. `next` is the position to
 * continue from; undefined if there are no more items.
 */
export async function selectItems(
  deps: Stored,
  batch: BatchRow,
  { number: start, entries }: ChunkGroup,
  { selection, bounds }: { selection: Selection; bounds: Bounds },
): Promise<{ items: ItemStatus[]; next: number | undefined }> {
  const items: ItemStatus[] = [];
  if (entries.length === 0) return { items, next: undefined };
  const redrives = await readRedrives(deps, batch);
  let left = bounds.scan;
  for (let at = 0; at < entries.length; ) {
    const before = at === 0 ? selection.from - startOf(entries, at) : 0;
    const enough = selection.state === undefined ? before + selection.limit - items.length : left.items;
    const room = {
      ...left,
      items: Math.min(left.items, enough, bounds.group.items),
      chunks: Math.min(left.chunks, bounds.group.chunks),
    };
    const group: ChunkGroup = { number: start + at, entries: takeGroup(entries, at, room) };
    if (group.entries.length === 0) return { items, next: startOf(entries, at) };
    const { statuses, bytes } = await readStatuses(deps, batch, { group, redrives });
    for (const status of statuses) {
      if (status.position < selection.from || (selection.state !== undefined && status.state !== selection.state))
        continue;
      items.push(status);
      if (items.length === selection.limit) return { items, next: positionAfter(entries, status.position) };
    }
    at += group.entries.length;
    left = leftAfter(left, group, bytes);
  }
  return { items, next: undefined };
}

/** The first chunk of a request is read regardless of its size. */
function takeGroup(entries: readonly ChunkEntry[], at: number, room: Most): ChunkEntry[] {
  const group: ChunkEntry[] = [];
  let { bytes, items } = room;
  for (const entry of entries.slice(at, at + room.chunks)) {
    bytes -= entry.bytes;
    if (items <= 0 || (bytes < 0 && !(at === 0 && group.length === 0))) break;
    items -= entry.items;
    group.push(entry);
  }
  return group;
}

const leftAfter = (left: Most, { entries }: ChunkGroup, readBytes: number): Most => ({
  bytes: left.bytes - readBytes - entries.reduce((sum, { bytes }) => sum + bytes, 0),
  items: left.items - entries.reduce((sum, { items }) => sum + items, 0),
  chunks: left.chunks - entries.length,
});

const startOf = (entries: readonly ChunkEntry[], at: number): number => entries[at]?.firstItem ?? 0;

const positionAfter = (entries: readonly ChunkEntry[], position: number): number | undefined =>
  chunkOfItem(entries, position + 1) === undefined ? undefined : position + 1;
