import { parseExact } from '../../shared/contract/text/exact-json.ts';
import { jsonBody, nextPage, type RequestOptions, request, requestJson } from './http/request.ts';
import type { BatchList, BatchView, CancelAnswer, ReportRow } from './types.ts';

/** Filters of a listing; empty ones do not count. */
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
  /** The batch that it was asked for after; undefined: it begins with the newest. */
  after: string | undefined;
  /** Service time of the answer, in milliseconds. */
  atMs: number;
}

/** A page of batches. A listing is one query per day, one for what is open, and one read per open batch. */
export async function fetchBatches(path: string | URL, options: RequestOptions = {}): Promise<BatchPage> {
  const answer = await request(path, options);
  const list = (await answer.json()) as BatchList;
  const after = new URL(path, answer.url).searchParams.get('after') ?? undefined;
  const date = answer.headers.get('date');
  return { list, next: nextPage(answer), after, atMs: date === null ? Date.now() : Date.parse(date) };
}

/** The path of a listing with filters: of the rows `after` a batch, or of the newest. */
export function batchesPath(
  { workload, state, day, label, search }: BatchFilter,
  { after = '', limit }: { after?: string | undefined; limit?: number } = {},
): string {
  const values = { workload, state, day, label, search, after, limit: limit === undefined ? '' : String(limit) };
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ''));
  return query.size === 0 ? 'batches' : `batches?${query}`;
}

/** One batch; a read of one row. */
export const fetchBatch = (id: string, options: RequestOptions = {}): Promise<BatchView> =>
  requestJson<BatchView>(`batches/${id}`, options);

/** The report of a batch, one row per key. Its numbers keep all their digits. */
export async function fetchReport(id: string): Promise<ReportRow[]> {
  const answer = await request(`batches/${id}/report?format=ndjson`);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => parseExact(line) as ReportRow);
}

/** Cancels what has not finished. */
export const cancelBatch = (id: string): Promise<CancelAnswer> =>
  requestJson<CancelAnswer>(`batches/${id}/cancel`, { method: 'POST' });

/** Deletes a finished batch with all that is stored of it. False: it is so large that the sweep goes on with it. */
export const deleteBatch = async (id: string): Promise<boolean> =>
  (await request(`batches/${id}`, { method: 'DELETE' })).status === 204;

/** Begins no more of a batch; what runs comes to its end. */
export const pauseBatch = (id: string, reason: string): Promise<unknown> =>
  request(`batches/${id}/pause`, { method: 'POST', ...jsonBody(reason === '' ? {} : { reason }) });

/** Ends the pause of a batch; a put for each chunk that is pending. */
export const resumeBatch = (id: string): Promise<unknown> => request(`batches/${id}/resume`, { method: 'POST' });
