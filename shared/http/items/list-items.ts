import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { BatchRow } from '../../batches/batch-row.ts';
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { readChunkItems } from '../../commands/redrive/read-originals.ts';
import { type ChunkEntry, chunkOfItem } from '../../contract/payload-index.ts';
import { Problem } from '../../errors.ts';
import { readAhead } from '../../results/chunk-pages.ts';
import type { Registry } from '../../workload/registry.ts';
import { MEDIA_TYPES } from '../edge/formats.ts';
import { nextLink } from '../edge/links.ts';
import { batchOf, wholeOf } from '../edge/request/parameters.ts';
import { readEntries } from './get-item.ts';
import { idReader, type ReadId } from './item-id.ts';
import { type ChunkGroup, type ItemStatus, readStatuses } from './item-statuses.ts';
import { ITEM_STATES, type ItemState } from './schemas.ts';
import { type ItemsDeps, linesOf, readRedrives } from './walk-items.ts';

const MiB = 1024 * 1024;
/**
 * Maximum that one request reads of the upload and of retries and dead letters: parsing 64 MiB takes about a second of the
 * instance's main thread. A link leads to the next page.
 */
const SCAN = { bytes: 64 * MiB, items: 200_000, chunks: 2_000 };
/**
 * Maximum that is read between two checks of these bounds. One query returns the rows of 500 chunks, and its thousand rows
 * usually include their follow-ups. A dead letter may be a hundred times as large as its item, but adds no more than about
 * 10,000 bytes to it.
 */
const GROUP = { chunks: 500, items: 10_000 };
const LIMIT = { min: 1, max: 10_000, fallback: 1_000 };
/** Maximum bytes of records and results per page. */
const PAGE_BYTES = 64 * MiB;
const AHEAD = 4;

export type ListDeps = ItemsDeps & { registry: Registry };

/**
 * GET batches/{id}/items: the items of a batch with their states, from position `from` on. Requires one table query per 500
 * chunks or 10,000 items, and one read per frame of retries and dead letters. If the workload has item ids, or results are
 * requested, also one read per chunk with items on the page.
 */
export async function listItems(
  deps: ListDeps,
  request: HttpRequest,
  bounds: Bounds = { scan: SCAN, group: GROUP },
): Promise<HttpResponseInit> {
  const { row: batch } = await batchOf(request, deps.table);
  const from = wholeOf(request, 'from', { min: 0, max: Number.MAX_SAFE_INTEGER, fallback: 0 });
  const asked: Asked = {
    from,
    limit: wholeOf(request, 'limit', LIMIT),
    state: itemStateOf(request),
    hasResults: request.query.has('results'),
    idOf: idReader(deps.registry.workload(batch.workload)),
  };
  const entries = await readEntries(deps, batch);
  const found = await scan(deps, batch, entries, { asked, bounds });
  const page = await textsOf(deps, batch, { entries, asked, items: found.items });
  const next = page.next ?? found.next;
  const body = `{"batch":${JSON.stringify(batch.id)},"items":[${page.texts.join(',')}]}`;
  const link = nextLink(request, next === undefined ? undefined : { from: String(next) });
  return { headers: { 'content-type': MEDIA_TYPES.json, ...link }, body };
}

function itemStateOf(request: HttpRequest): ItemState | undefined {
  const text = request.query.get('state');
  const state = ITEM_STATES.find((each) => each === text);
  if (text === null || state !== undefined) return state;
  throw new Problem('invalid-parameter', `state must be one of ${ITEM_STATES.join(', ')}; got "${text.slice(0, 40)}".`);
}

interface Asked {
  from: number;
  limit: number;
  state: ItemState | undefined;
  hasResults: boolean;
  /** undefined: the workload has no item ids. */
  idOf: ReadId | undefined;
}

/** Items, and the position to continue from; undefined if there are no more. */
interface Found {
  items: ItemStatus[];
  next: number | undefined;
}

/** The maximum that a request reads. */
type Most = Record<keyof typeof SCAN, number>;
interface Bounds {
  scan: Most;
  group: Record<keyof typeof GROUP, number>;
}

async function scan(
  deps: ListDeps,
  batch: BatchRow,
  entries: readonly ChunkEntry[],
  { asked, bounds }: { asked: Asked; bounds: Bounds },
): Promise<Found> {
  const items: ItemStatus[] = [];
  const first = chunkOfItem(entries, asked.from);
  if (first === undefined) return { items, next: undefined };
  const redrives = await readRedrives(deps, batch);
  let left = bounds.scan;
  for (let number = first; number < entries.length; ) {
    const before = number === first ? asked.from - startOf(entries, first) : 0;
    const enough = asked.state === undefined ? before + asked.limit - items.length : left.items;
    const room = {
      ...left,
      items: Math.min(left.items, enough, bounds.group.items),
      chunks: Math.min(left.chunks, bounds.group.chunks),
    };
    const group: ChunkGroup = { number, entries: takeGroup(entries, number, { room, isFirst: number === first }) };
    if (group.entries.length === 0) return { items, next: startOf(entries, number) };
    const { statuses, bytes } = await readStatuses(deps, batch, { group, redrives });
    for (const status of statuses) {
      if (status.position < asked.from || (asked.state !== undefined && status.state !== asked.state)) continue;
      items.push(status);
      if (items.length === asked.limit) return { items, next: behind(entries, status.position) };
    }
    number += group.entries.length;
    left = leftAfter(left, group, bytes);
  }
  return { items, next: undefined };
}

/** The first chunk of a request is read regardless of its size. */
function takeGroup(
  entries: readonly ChunkEntry[],
  number: number,
  { room, isFirst }: { room: Most; isFirst: boolean },
): ChunkEntry[] {
  const group: ChunkEntry[] = [];
  let { bytes, items } = room;
  for (const entry of entries.slice(number, number + room.chunks)) {
    bytes -= entry.bytes;
    if (items <= 0 || (bytes < 0 && !(isFirst && group.length === 0))) break;
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

const startOf = (entries: readonly ChunkEntry[], number: number): number => entries[number]?.firstItem ?? 0;

const behind = (entries: readonly ChunkEntry[], position: number): number | undefined =>
  chunkOfItem(entries, position + 1) === undefined ? undefined : position + 1;

/** Items of one chunk of the upload. */
interface ChunkItems {
  entry: ChunkEntry;
  items: ItemStatus[];
}

/** Writes the items as JSON text, until their records and results exceed the size of a page; at least those of one chunk. */
async function textsOf(
  deps: ListDeps,
  batch: BatchRow,
  { entries, asked, items }: { entries: readonly ChunkEntry[]; asked: Asked; items: readonly ItemStatus[] },
): Promise<{ texts: string[]; next: number | undefined }> {
  let bytes = 0;
  const results = new Map<string, Promise<string[]>>();
  const resultsOf = (row: ChunkRow): Promise<string[]> => {
    const known = results.get(row.chunk);
    if (known) return known;
    const reading = linesOf(deps, row, 'results');
    bytes += row.header?.results?.bytes ?? 0;
    results.set(row.chunk, reading);
    return reading;
  };
  const recordsOf = async (entry: ChunkEntry): Promise<string[] | undefined> => {
    if (!asked.idOf) return undefined;
    bytes += entry.bytes;
    return readChunkItems(deps, batch, entry);
  };
  const read = async ({ entry, items }: ChunkItems): Promise<string[]> => {
    const records = await recordsOf(entry);
    const texts: string[] = [];
    for (const { result, position, ...status } of items) {
      const record = records?.[position - entry.firstItem];
      const id = record === undefined ? undefined : await asked.idOf?.(record);
      const head = JSON.stringify({ position, id, ...status });
      const line = asked.hasResults && result ? (await resultsOf(result.row))[result.line] : undefined;
      texts.push(line === undefined ? head : `${head.slice(0, -1)},"result":${line}}`);
    }
    return texts;
  };
  const texts: string[] = [];
  for await (const some of readAhead(byChunk(entries, items), AHEAD, read)) {
    texts.push(...some);
    if (bytes > PAGE_BYTES) break;
  }
  return { texts, next: items[texts.length]?.position };
}

/** Groups the items by chunk. Both lists are in ascending order of positions. */
function byChunk(entries: readonly ChunkEntry[], items: readonly ItemStatus[]): ChunkItems[] {
  const chunks: ChunkItems[] = [];
  for (const item of items) {
    const last = chunks.at(-1);
    if (last && item.position < last.entry.firstItem + last.entry.items) last.items.push(item);
    else {
      const entry = entries[chunkOfItem(entries, item.position) ?? -1];
      if (entry) chunks.push({ entry, items: [item] });
    }
  }
  return chunks;
}
