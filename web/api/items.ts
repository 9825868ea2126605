import { parseExact } from '../../shared/contract/text/exact-json.ts';
import { nextPage, type Page, type RequestOptions, request } from './http/request.ts';
import type { FoundItems, ItemState, ItemView, ListedItem } from './types.ts';

/** As many rows as a person can scan; their results are read, too. */
const PAGE = 100;

/** Returns the path of the first page of a batch's items, in one state or in any. */
export const itemsPath = (batch: string, state: ItemState | ''): string =>
  `batches/${batch}/items?${state === '' ? '' : `state=${state}&`}limit=${PAGE}&results`;

/** Fetches a page of the items of a batch. Numbers of results keep all their digits. */
export async function fetchItems(path: string | URL, options: RequestOptions = {}): Promise<Page<ListedItem>> {
  const answer = await request(path, options);
  const { items: entries } = parseExact(await answer.text()) as { items: ListedItem[] };
  return { entries, next: nextPage(answer) };
}

/** Returns the path of a search for items by id. */
export const searchPath = (batch: string, itemId: string): string =>
  `batches/${batch}/items?${new URLSearchParams({ itemId })}`;

/** The result of one search request for an id. Each request reads a part of a large batch. */
export interface Found {
  items: ListedItem[];
  /** Further items found, of which only the positions are known. */
  more: number;
  /** Position up to which the request searched, exclusive. */
  until: number;
  next: URL | undefined;
}

/** Each item shown costs one request. */
const SHOWN = 10;

/** Finds the items with an id, and fetches the outcomes of the first of them. */
export async function findItems(path: string | URL): Promise<Found> {
  const answer = await request(path);
  const { batch, id, positions, scanned } = (await answer.json()) as FoundItems;
  const items = await Promise.all(positions.slice(0, SHOWN).map((position) => fetchItem(batch, { position, id })));
  const until = scanned.from + scanned.items;
  return { items, more: positions.length - items.length, until, next: nextPage(answer) };
}

async function fetchItem(batch: string, { position, id }: { position: number; id: string }): Promise<ListedItem> {
  const { state, steps, result } = await fetchItemView(batch, position);
  const { attempts, error } = steps.at(-1) ?? {};
  return { position, id, state, attempts, error, result };
}

/** Fetches an item and its outcome. Numbers of the item and its result keep all their digits. */
export async function fetchItemView(batch: string, position: number, options: RequestOptions = {}): Promise<ItemView> {
  const answer = await request(`batches/${batch}/items/${position}`, options);
  return parseExact(await answer.text()) as ItemView;
}
