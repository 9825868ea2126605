import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { readChunkItems } from '../../commands/redrive/read-originals.ts';
import { Problem } from '../../errors.ts';
import { json } from '../edge/answers.ts';
import { nextLink } from '../edge/links.ts';
import { batchOf, wholeOf } from '../edge/request/parameters.ts';
import { payloadGone, readable, readIndex } from './get-item.ts';
import { idReader } from './item-id.ts';
import { FROM, type ListDeps, listItems } from './list-items.ts';
import type { FoundItems } from './schemas.ts';

/**
 * Maximum for one request: parsing and validating 64 MiB takes about a second of the instance's main thread. A link leads to
 * the next page.
 */
const PAGE = { bytes: 64 * 1024 * 1024, items: 200_000 };
const MAX_ID = 256;
const MAX_FOUND = 100;

/** GET batches/{id}/items: the items with the id `itemId`, or without this parameter all items with their states. */
export const getItems = (deps: ListDeps, request: HttpRequest): Promise<HttpResponseInit> =>
  request.query.has('itemId') ? findItems(deps, request) : listItems(deps, request);

/** GET batches/{id}/items?itemId=: the positions of the items with this id, by a scan of the payload from item `from` on. */
async function findItems(deps: ListDeps, request: HttpRequest): Promise<HttpResponseInit> {
  const { row: batch } = await batchOf(request, deps.table);
  const id = itemIdOf(request);
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
  const answer: FoundItems = {
    batch: batch.id,
    id,
    positions,
    scanned: { from: first?.entry.firstItem ?? from, items },
  };
  return json(answer, { headers: nextLink(request, next === undefined ? undefined : { from: String(next) }) });
}

function itemIdOf(request: HttpRequest): string {
  const id = request.query.get('itemId') ?? '';
  if (id !== '' && id.length <= MAX_ID) return id;
  throw new Problem('invalid-parameter', `itemId must be the id of an item, of 1 to ${MAX_ID} characters.`);
}
