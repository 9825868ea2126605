import { parseExact } from '../../shared/contract/text/exact-json.ts';
import { jsonBody, nextPage, type RequestOptions, request, requestJson } from './http/request.ts';
import { type PauseWish, pauseBody } from './queues.ts';
import type { BatchList, BatchView, CancelAnswer, ReportRow } from './types.ts';

/** Filters of a listing. Empty ones are ignored. */
export interface BatchFilter {
  workload: string;
  state: string;
  day: string;
  /** `key=value`. */
  label: string;
  /** Beginning or end of an id, or a part of a label's value or of the file name. */
  search: string;
}

export interface BatchPage {
  list: BatchList;
  next: URL | undefined;
  /** The id in the `after` parameter of the request. If undefined, the page begins with the newest batch. */
  after: string | undefined;
  /** Service time of the response, in milliseconds. */
  atMs: number;
}

/**
 * A page of batches. A listing costs one query per day, one for unfinished batches, and one read per unfinished batch.
 */
export async function fetchBatches(path: string | URL, options: RequestOptions = {}): Promise<BatchPage> {
  const answer = await request(path, options);
  const list = (await answer.json()) as BatchList;
  const after = new URL(path, answer.url).searchParams.get('after') ?? undefined;
  const date = answer.headers.get('date');
  return { list, next: nextPage(answer), after, atMs: date === null ? Date.now() : Date.parse(date) };
}

/** Returns the path of a listing with filters: the rows `after` a batch, or the newest rows. */
export function batchesPath(
  { workload, state, day, label, search }: BatchFilter,
  { after = '', limit }: { after?: string | undefined; limit?: number } = {},
): string {
  const values = { workload, state, day, label, search, after, limit: limit === undefined ? '' : String(limit) };
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return query.size === 0 ? 'batches' : `batches?${query}`;
}

/** Fetches one batch; the server reads one row. */
export const fetchBatch = (id: string, options: RequestOptions = {}): Promise<BatchView> =>
  requestJson<BatchView>(`batches/${id}`, options);

/** Fetches the report of a batch, one row per key. Its numbers keep all their digits. */
export async function fetchReport(id: string): Promise<ReportRow[]> {
  const answer = await request(`batches/${id}/report?format=ndjson`);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => parseExact(line) as ReportRow);
}

/** Cancels the unfinished items of a batch. */
export const cancelBatch = (id: string): Promise<CancelAnswer> =>
  requestJson<CancelAnswer>(`batches/${id}/cancel`, { method: 'POST' });

/**
 * Deletes a finished batch and everything stored for it. Returns false if the batch is so large that the sweep finishes
 * the deletion.
 */
export const deleteBatch = async (id: string): Promise<boolean> =>
  (await request(`batches/${id}`, { method: 'DELETE' })).status === 204;

/** Pauses a batch: no further chunk starts, and running chunks finish. */
export const pauseBatch = (id: string, wish: PauseWish): Promise<unknown> =>
  request(`batches/${id}/pause`, { method: 'POST', ...pauseBody(wish) });

/**
 * Ends the pause of a batch that began at `since`. Refused if the batch has another pause. The server puts one message per
 * pending chunk.
 */
export const resumeBatch = (id: string, since: string): Promise<unknown> =>
  request(`batches/${id}/resume`, { method: 'POST', ...jsonBody({ since }) });
