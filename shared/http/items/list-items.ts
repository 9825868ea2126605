import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { Registry } from '../../workload/registry.ts';
import type { Stored } from '../edge/app.ts';
import { MEDIA_TYPES } from '../edge/formats.ts';
import { nextLink } from '../edge/links.ts';
import { batchOf, oneOf, wholeOf } from '../edge/request/parameters.ts';
import { query, whole } from '../edge/route.ts';
import { readable, readIndex } from './get-item.ts';
import { idReader } from './item-id.ts';
import { itemTexts } from './item-texts.ts';
import { ITEM_STATES } from './schemas.ts';
import { type Bounds, GROUP, SCAN, type Selection, selectItems } from './select-items.ts';

export const LIMIT = query('limit', 'Maximum number of items per page', whole(1, 10_000, 1_000));

/** Also of the search for an id. */
export const FROM = query('from', 'The position to continue from, as in the link to the next page', {
  type: 'integer',
  minimum: 0,
});

export type ListDeps = Stored & { registry: Registry };

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
  const link = nextLink(request, next === undefined ? undefined : { from: String(next) });
  return { headers: { 'content-type': MEDIA_TYPES.json, ...link }, body };
}
