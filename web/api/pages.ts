/** Pages of lists. `next` of a page is what a further request needs. */
import { jsonOf, nextOf } from '../../shared/client/index.ts';
import type { AnswerOf, Call, RequestTo, RouteKey } from '../../shared/client/types.ts';
import { afterOf } from './after-of.ts';
import { api } from './client.ts';
import type { Audit, AuditEntry, BatchList, DeadLetter, FoundItems, InboxFile, ItemView, ListedItem } from './types.ts';

/** Entries of a list; `next` is undefined on the last page. */
export interface Page<T> {
  entries: readonly T[];
  next: string | undefined;
}

/** The first page, by its request, or a further one. */
type At<K extends RouteKey> = RequestTo<K> | string;

interface Fetched<K extends RouteKey> {
  answer: AnswerOf<K>;
  next: string | undefined;
  headers: Headers;
}

async function fetchPage<K extends RouteKey>(route: K, at: At<K>, signal?: AbortSignal): Promise<Fetched<K>> {
  const kept = signal === undefined ? {} : { signal };
  const answer =
    typeof at === 'string'
      ? await api.follow(route, at, kept as Pick<RequestTo<K>, 'signal'>)
      : await api.call(route, ...([{ ...at, ...kept }] as unknown as Call<K>));
  return { answer: await jsonOf(answer), next: nextOf(answer), headers: answer.headers };
}

/** A page of the inbox. */
export async function fetchInbox(at: At<'GET inbox'> = {}, signal?: AbortSignal): Promise<Page<InboxFile>> {
  const { answer, next } = await fetchPage('GET inbox', at, signal);
  return { entries: answer.files, next };
}

/** A page of the audit log. */
export async function fetchAudit(at: At<'GET audit'>, signal?: AbortSignal): Promise<Audit & Page<AuditEntry>> {
  const { answer, next } = await fetchPage('GET audit', at, signal);
  return { ...answer, next };
}

/** A page of the items of a batch. */
export async function fetchItems(at: At<'GET batches/{id}/items'>, signal?: AbortSignal): Promise<Page<ListedItem>> {
  const { answer, next } = await fetchPage('GET batches/{id}/items', at, signal);
  return { entries: 'items' in answer ? (answer.items as ListedItem[]) : [], next };
}

/** A page of the dead letters of a batch with one cause. */
export async function fetchLetters(
  at: At<'GET batches/{id}/dead-letters'>,
  signal?: AbortSignal,
): Promise<Page<DeadLetter>> {
  const { answer, next } = await fetchPage('GET batches/{id}/dead-letters', at, signal);
  return { entries: 'items' in answer ? answer.items : [], next };
}

export interface BatchPage {
  list: BatchList;
  next: string | undefined;
  /** The id after which the page begins. If undefined, it begins with the newest batch. */
  after: string | undefined;
  /** Service time of the response, in milliseconds. */
  atMs: number;
}

/** A page of batches. It costs one query per day, one for unfinished batches, and one read per unfinished batch. */
export async function fetchBatches(at: At<'GET batches'>, signal?: AbortSignal): Promise<BatchPage> {
  const { answer: list, next, headers } = await fetchPage('GET batches', at, signal);
  const after = typeof at === 'string' ? afterOf(at) : at.query?.after;
  const date = headers.get('date');
  return { list, next, after, atMs: date === null ? Date.now() : Date.parse(date) };
}

/** The result of one search request for an id. Each request reads a part of a large batch. */
export interface Found {
  items: ListedItem[];
  /** Further items found, of which only the positions are known. */
  more: number;
  /** Position up to which the request searched, exclusive. */
  until: number;
  next: string | undefined;
}

/** Each item shown costs one request. */
const SHOWN = 10;

/** Finds the items of a batch with an id, and fetches the outcomes of the first of them. */
export async function findItems(at: At<'GET batches/{id}/items'>): Promise<Found> {
  const { answer, next } = await fetchPage('GET batches/{id}/items', at);
  const { batch, id, positions, scanned } = answer as FoundItems;
  const items = await Promise.all(positions.slice(0, SHOWN).map((position) => fetchItem(batch, { position, id })));
  return { items, more: positions.length - items.length, until: scanned.from + scanned.items, next };
}

async function fetchItem(batch: string, { position, id }: { position: number; id: string }): Promise<ListedItem> {
  const view: ItemView = await api.json('GET batches/{id}/items/{position}', { path: { id: batch, position } });
  const { attempts, error } = view.steps.at(-1) ?? {};
  return { position, id, state: view.state, attempts, error, result: view.result };
}
