import { parseExact } from '../../shared/contract/text/exact-json.ts';
import { nextPage, type Page, type RequestOptions, request } from './http/request.ts';
import type { FoundItems, ItemState, ItemView, ListedItem } from './types.ts';

/** As many rows as can be looked at; their results are read, too. */
const PAGE = 100;

/** The path of the first page of the items of a batch in one state, or in any. */
export const itemsPath = (batch: string, state: ItemState | ''): string =>
  `batches/${batch}/items?${state === '' ? '' : `state=${state}&`}limit=${PAGE}&results`;

/** A page of the items of a batch. Numbers of results keep all their digits. */
export async function fetchItems(path: string | URL, options: RequestOptions = {}): Promise<Page<ListedItem>> {
  const answer = await request(path, options);
  const { items: entries } = parseExact(await answer.text()) as { items: ListedItem[] };
  return { entries, next: nextPage(answer) };
}

/** The path that looks for the items with an id. */
export const searchPath = (batch: string, itemId: string): string =>
  `batches/${batch}/items?${new URLSearchParams({ itemId })}`;

/** What one look for an id has found: a request reads a part of a large batch. */
export interface Found {
  items: ListedItem[];
  /** Items that were found beside those, of which no more is known than their positions. */
  more: number;
  /** Position up to which was looked, exclusive. */
  until: number;
  next: URL | undefined;
}

/** Each item that was found is a request of its own. */
const SHOWN = 10;

/** Looks for the items with an id, and at what became of the first of them. */
export async function findItems(path: string | URL): Promise<Found> {
  const answer = await request(path);
  const { batch, id, positions, lookedAt } = (await answer.json()) as FoundItems;
  const items = await Promise.all(positions.slice(0, SHOWN).map((position) => fetchItem(batch, { position, id })));
  const until = lookedAt.from + lookedAt.items;
  return { items, more: positions.length - items.length, until, next: nextPage(answer) };
}

async function fetchItem(batch: string, { position, id }: { position: number; id: string }): Promise<ListedItem> {
  const { state, steps, result } = await fetchItemView(batch, position);
  const { attempts, error } = steps.at(-1) ?? {};
  return { position, id, state, attempts, error, result };
}

/** An item and what became of it. Numbers of the item and its result keep all their digits. */
export async function fetchItemView(batch: string, position: number, options: RequestOptions = {}): Promise<ItemView> {
  const answer = await request(`batches/${batch}/items/${position}`, options);
  return parseExact(await answer.text()) as ItemView;
}
