import { parseExact } from '../../shared/contract/text/exact-json.ts';
import { jsonBody, nextPage, type Page, type RequestOptions, request, requestJson } from './http/request.ts';
import type { LetterChoice } from './redrive-body.ts';
import type { DeadLetter, DeadLetterGroups, DeadLettersOfBatches, Discarded, Redriven } from './types.ts';

/** The dead letters of a batch by cause; reads all of them. */
export async function fetchGroups(batch: string, options: RequestOptions = {}): Promise<DeadLetterGroups> {
  const answer = await request(`batches/${batch}/dead-letters?format=json`, options);
  return parseExact(await answer.text()) as DeadLetterGroups;
}

/** Items of the first page, which everybody pays for who opens a cause, and of each later one. */
const [FIRST_PAGE, LATER_PAGE] = [50, 200];

/** The path to the first page of the dead letters of one cause. */
export const causePath = (batch: string, cause: string): string =>
  `batches/${batch}/dead-letters?${new URLSearchParams({ format: 'json', cause, limit: `${FIRST_PAGE}` })}`;

/** A page of dead letters of one cause. */
export async function fetchLetters(path: string | URL, options: RequestOptions = {}): Promise<Page<DeadLetter>> {
  const answer = await request(path, options);
  const { items: entries } = parseExact(await answer.text()) as { items: DeadLetter[] };
  const next = nextPage(answer);
  next?.searchParams.set('limit', `${LATER_PAGE}`);
  return { entries, next };
}

/** Runs dead letters again. `key` makes a repeat harmless: of two requests with the same one, one takes effect. */
export const redriveLetters = (batch: string, body: string, key: string): Promise<Redriven> =>
  requestJson(`batches/${batch}/dead-letters/redrive`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body,
  });

/** Makes the report of a batch again, which failed: no item runs. */
export const redriveReport = (batch: string, key: string): Promise<Redriven> =>
  redriveLetters(batch, JSON.stringify({ report: true }), key);

/** Discards dead letters permanently. `key`: as for a redrive. */
export const discardLetters = (
  batch: string,
  choice: LetterChoice & { reason: string },
  key: string,
): Promise<Discarded> =>
  requestJson(`batches/${batch}/dead-letters/discard`, {
    method: 'POST',
    ...jsonBody(choice, { 'idempotency-key': key }),
  });

/** Filters over the dead letters of many batches, by the names of the parameters; empty ones do not count. */
export type LettersFilter = Record<'workload' | 'label' | 'cause' | 'from' | 'to', string>;

/** The dead letters of many batches by cause and workload, as the lines of the batches name them. */
export function fetchOfBatches(filter: LettersFilter, options: RequestOptions = {}): Promise<DeadLettersOfBatches> {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  return requestJson(query.size === 0 ? 'dead-letters' : `dead-letters?${query}`, options);
}
