import { jsonBody, nextPage, type RequestOptions, request, requestJson } from './request.ts';
import { spend } from './spending.ts';
import type { BatchList, BatchView, ReportRow } from './types.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Filters of a listing; empty ones do not count. */
export interface BatchFilter {
  workload: string;
  state: string;
  day: string;
  /** `key=value`. */
  label: string;
}

export interface BatchPage {
  list: BatchList;
  next: URL | undefined;
}

/** A page of batches. A listing is a query a day, one for what is open, and a read for each batch that is. */
export async function fetchBatches(path: string | URL, options: RequestOptions = {}): Promise<BatchPage> {
  const answer = await request(path, { ...options, operations: 0 });
  const list = (await answer.json()) as BatchList;
  const days = 1 + Math.round((Date.parse(list.days.to) - Date.parse(list.days.from)) / DAY_MS);
  addToLast(days + 1 + list.batches.filter(({ completedAt }) => completedAt === null).length);
  return { list, next: nextPage(answer) };
}

/** The path of a listing with filters. */
export function batchesPath({ workload, state, day, label }: BatchFilter): string {
  const query = new URLSearchParams(
    Object.entries({ workload, state, day, label }).filter(([, value]) => value !== ''),
  );
  return query.size === 0 ? 'batches' : `batches?${query}`;
}

/** One batch; a read of one row. */
export const fetchBatch = (id: string, options: RequestOptions = {}): Promise<BatchView> =>
  requestJson<BatchView>(`batches/${id}`, options);

/** The report of a batch, a row a key. */
export async function fetchReport(id: string): Promise<ReportRow[]> {
  const answer = await request(`batches/${id}/report?format=ndjson`, { operations: 2 });
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ReportRow);
}

/** Cancels what has not finished. */
export const cancelBatch = (id: string): Promise<unknown> =>
  request(`batches/${id}/cancel`, { method: 'POST', operations: 2 });

/** Begins no more of a batch; what runs comes to its end. */
export const pauseBatch = (id: string, reason: string): Promise<unknown> =>
  request(`batches/${id}/pause`, { method: 'POST', operations: 3, ...jsonBody(reason === '' ? {} : { reason }) });

/** Ends the pause of a batch; a put for each chunk that is pending. */
export const resumeBatch = (id: string): Promise<unknown> =>
  request(`batches/${id}/resume`, { method: 'POST', operations: 7 });

/** Only after the answer is it known what it took. */
const addToLast = (operations: number): void => spend(operations, 0);
