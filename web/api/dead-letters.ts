import { parseExact } from '../../shared/contract/text/exact-json.ts';
import { jsonBody, nextPage, type Page, type RequestOptions, request, requestJson } from './http/request.ts';
import type { LetterChoice } from './redrive-body.ts';
import type { DeadLetter, DeadLetterGroups, DeadLettersOfBatches, Discarded, Redriven } from './types.ts';

/** Fetches the first page of the dead letters of a batch by cause. */
export async function fetchGroups(batch: string, options: RequestOptions = {}): Promise<DeadLetterGroups> {
  const answer = await request(`batches/${batch}/dead-letters?format=json`, options);
  return parseExact(await answer.text()) as DeadLetterGroups;
}

/** Items on the first page, which is read each time a cause is opened, and on each later page. */
const [FIRST_PAGE, LATER_PAGE] = [50, 200];

/** Returns the path to the first page of the dead letters of one cause. */
export const causePath = (batch: string, cause: string): string =>
  `batches/${batch}/dead-letters?${new URLSearchParams({ format: 'json', cause, limit: `${FIRST_PAGE}` })}`;

/** Fetches a page of dead letters of one cause. */
export async function fetchLetters(path: string | URL, options: RequestOptions = {}): Promise<Page<DeadLetter>> {
  const answer = await request(path, options);
  const { items: entries } = parseExact(await answer.text()) as { items: DeadLetter[] };
  const next = nextPage(answer);
  next?.searchParams.set('limit', `${LATER_PAGE}`);
  return { entries, next };
}

/** Runs dead letters again. Of several requests with the same `key`, only one takes effect, so a repeat is harmless. */
export const redriveLetters = (batch: string, body: string, key: string): Promise<Redriven> =>
  requestJson(`batches/${batch}/dead-letters/redrive`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body,
  });

/** Builds the failed report of a batch again. No item runs. */
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

/** Filters for the dead letters of many batches, by parameter name. Empty ones are ignored. */
export type LettersFilter = Record<'workload' | 'label' | 'cause' | 'from' | 'to', string>;

/** Fetches the dead letters of many batches by cause and workload, as recorded in the lines of the batches. */
export function fetchOfBatches(filter: LettersFilter, options: RequestOptions = {}): Promise<DeadLettersOfBatches> {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  return requestJson(query.size === 0 ? 'dead-letters' : `dead-letters?${query}`, options);
}
