import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { readChunkItems } from '../../commands/redrive/read-originals.ts';
import { Problem } from '../../errors.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { MEDIA_TYPES } from '../edge/formats.ts';
import { nextLink } from '../edge/links.ts';
import { batchOf, invalid, oneOf, wholeOf } from '../edge/request/parameters.ts';
import { type Handle, query, whole } from '../edge/route.ts';
import { payloadGone, readable, readIndex } from './get-item.ts';
import { idReader, itemTexts } from './item-texts.ts';
import { type FoundItems, ITEM_STATES } from './schemas.ts';
import { type Bounds, GROUP, SCAN, type Selection, selectItems } from './select-items.ts';

export const LIMIT = query('limit', 'Maximum number of items per page', whole(1, 10_000, 1_000));

/** Also of the search for an id. */
export const FROM = query('from', 'The position to continue from, as in the link to the next page', {
  type: 'integer',
  minimum: 0,
});

type ListDeps = Pick<Reads, 'table' | 'container' | 'registry'>;

/** GET batches/{id}/items: the items with the id `itemId`, or without this parameter all items with their states. */
export const getItems = (deps: ListDeps, request: HttpRequest): Promise<HttpResponseInit> =>
  request.query.has('itemId') ? findItems(deps, request) : listItems(deps, request);

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
  const from = wholeOf(request, FROM);
  const selection: Selection = { from, limit: wholeOf(request, LIMIT), state: oneOf(request, 'state', ITEM_STATES) };
  const index = await readIndex(deps, batch);
  const first = await readable(batch, index.find(from));
  // One more than is read, to know whether another page follows.
  const entries = first ? await readable(batch, index.some(first.number, bounds.scan.chunks + 1)) : [];
  const window = { number: first?.number ?? 0, entries };
  const found = await selectItems(deps, batch, window, { selection, bounds });
  const page = await itemTexts(deps, batch, {
    entries,
    items: found.items,
    hasResults: request.query.has('results'),
    idOf: idReader(deps.registry.workload(batch.workload)),
  });
  const next = page.next ?? found.next;
  const body = `{"batch":${JSON.stringify(batch.id)},"items":[${page.texts.join(',')}]}`;
  const link = nextLink(request, { from: next?.toString() });
  return { headers: { 'content-type': MEDIA_TYPES.json, ...link }, body };
}

/**
 * Maximum for one request: parsing and validating 64 MiB takes about a second of the instance's main thread. A link leads to
 * the next page.
 */
const PAGE = { bytes: 64 * 1024 * 1024, items: 200_000 };
const MAX_ID = 256;
const MAX_FOUND = 100;

/** GET batches/{id}/items?itemId=: the positions of the items with this id, by a scan of the payload from item `from` on. */
const findItems: Handle<ListDeps> = async (deps, request) => {
  const { row: batch } = await batchOf(request, deps.table);
  const id = request.query.get('itemId') ?? '';
  if (id === '' || id.length > MAX_ID) throw invalid('itemId', `the id of an item, of 1 to ${MAX_ID} characters`, id);
  const idOf = idReader(deps.registry.workload(batch.workload));
  if (!idOf)
    throw new Problem(
      'invalid-parameter',
      `Workload "${batch.workload}" has no option "id", which returns the id of an item.`,
    );
  const from = wholeOf(request, FROM);
  const index = await readIndex(deps, batch);
  const first = await readable(batch, index.find(from));
  const positions: number[] = [];
  let [bytes, items] = [0, 0];
  let next: number | undefined;
  for await (const entry of index.entries(first?.number ?? index.chunks)) {
    const isFull = bytes + entry.bytes > PAGE.bytes || items + entry.items > PAGE.items;
    if (positions.length >= MAX_FOUND || (items > 0 && isFull)) {
      next = entry.firstItem;
      break;
    }
    const lines = await readChunkItems(deps, batch, entry);
    if (lines === undefined) throw payloadGone(batch);
    for (const [offset, text] of lines.entries())
      if ((await idOf(text)) === id) positions.push(entry.firstItem + offset);
    bytes += entry.bytes;
    items += entry.items;
  }
  const scanned = { from: first?.entry.firstItem ?? from, items };
  const answer: FoundItems = { batch: batch.id, id, positions, scanned };
  return json(answer, { headers: nextLink(request, { from: next?.toString() }) });
};
