/** Batches in the form of the API, for tests that depend on the amount of data: thousands of rows, redrives. */
import type { Page } from 'playwright-core';
import type { BatchEntry, BatchList } from '../../../shared/http/batches/list-batches.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';

export const DAY_MS = 24 * 60 * 60 * 1_000;

/** Returns a batch id of that time; `n` distinguishes ids of the same time. */
export function idAt(ms: number, n = 0): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

/** Creates a row of the listing: created at `ms`, completed after a second, unless `fields` override it. */
export function entryAt(ms: number, fields: Partial<BatchEntry> = {}): BatchEntry {
  const at = (after: number): string => new Date(ms + after).toISOString();
  const id = idAt(ms);
  return {
    ...{
      id,
      workload: 'billing',
      lane: 'normal',
      state: 'completed',
      accepted: 1_000,
      dead: 0,
      discarded: 0,
      pending: 0,
    },
    ...{ createdAt: at(0), revision: 0, openedAt: at(0), completedAt: at(1_000), deadlineAt: at(600_000) },
    ...{ ratePerSecond: 1_000, deadlineMet: true, latencyP95Ms: 900 },
    links: { self: `/api/batches/${id}`, results: '', report: '', deadLetters: '' },
    ...fields,
  };
}

/** The content of the mocked listing, and the requests that it has received. */
export interface MockedListing {
  batches: BatchEntry[];
  asked: URL[];
}

/** As in the service, a page compares at most 2,000 batches with the filter. */
const SCANNED = 2_000;

/** Serves the listing of a tab from `batches`, newest first, in pages as the service does at `nowMs`. */
export async function mockListing(page: Page, batches: BatchEntry[], nowMs: number): Promise<MockedListing> {
  const mocked: MockedListing = { batches, asked: [] };
  await page.route(/\/api\/batches(\?.*)?$/, (route) => {
    const url = new URL(route.request().url());
    mocked.asked.push(url);
    const { list, next } = pageOf(mocked.batches, url.searchParams, nowMs);
    if (next === undefined) return route.fulfill({ json: list });
    url.searchParams.set('after', next);
    return route.fulfill({ json: list, headers: { link: `<${url.pathname}${url.search}>; rel="next"` } });
  });
  return mocked;
}

function pageOf(
  batches: readonly BatchEntry[],
  query: URLSearchParams,
  nowMs: number,
): { list: BatchList; next: string | undefined } {
  const [after, day, limit] = [query.get('after'), query.get('day'), Number(query.get('limit') ?? 50)];
  const startMs = after === null ? nowMs : Number.parseInt(after.replace('-', '').slice(0, 12), 16);
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const days = day === null ? { from: dayOf(startMs - 6 * DAY_MS), to: dayOf(startMs) } : { from: day, to: day };
  const candidates = batches.filter(
    ({ id, createdAt }) =>
      (after === null || id < after) && createdAt.slice(0, 10) >= days.from && createdAt.slice(0, 10) <= days.to,
  );
  const found: BatchEntry[] = [];
  let scanned = 0;
  for (const batch of candidates) {
    scanned += 1;
    if (fits(batch, query)) found.push(batch);
    if (found.length === limit || scanned === SCANNED) break;
  }
  const last = candidates[scanned - 1];
  const next = scanned < candidates.length ? last?.id : undefined;
  return { list: { batches: found, days, scanned: { batches: scanned, until: last?.createdAt ?? null } }, next };
}

const fits = ({ workload, state, file }: BatchEntry, query: URLSearchParams): boolean =>
  workload === (query.get('workload') ?? workload) &&
  state === (query.get('state') ?? state) &&
  (file ?? '').includes(query.get('search') ?? '');

/** Creates a revision that was opened at `ms`, with a second between its moments. */
export function revisionAt(
  ms: number,
  fields: Partial<BatchView['revisions'][number]> = {},
): BatchView['revisions'][number] {
  const at = (after: number): string => new Date(ms + after).toISOString();
  return {
    ...{ revision: 0, kind: 'upload', items: 1_000, opened: at(0), queued: at(1_000), started: at(2_000) },
    ...{ completed: at(3_000), deadline: at(600_000), latencyMs: { p50: 1_000, p95: 2_000, max: 3_000 } },
    ...fields,
  };
}

/** Creates a completed batch of these revisions, unless `fields` override it. */
export function viewAt(ms: number, revisions: BatchView['revisions'], fields: Partial<BatchView> = {}): BatchView {
  const [first, present] = [revisions[0], revisions.at(-1)];
  if (first === undefined || present === undefined) throw new Error('Expected a revision.');
  const { opened, queued, started, completed, deadline } = present;
  const { id, links } = entryAt(ms);
  const counts = { accepted: 1_000, succeeded: 1_000, dead: 0, discarded: 0, cancelled: 0, pending: 0 };
  return {
    ...{
      id,
      links,
      workload: 'billing',
      version: 1,
      lane: 'normal',
      pool: 'main',
      state: 'completed',
      revisions,
      notes: [],
    },
    source: { kind: 'http', name: 'key', file: 'march.ndjson' },
    counts: { ...counts, retried: 0, duplicatesSeen: 0 },
    chunks: { total: 2, done: 2 },
    times: { accepted: first.opened, opened, queued, started, completed, deadline },
    deadline: { at: first.deadline, met: (first.completed ?? '9') <= first.deadline },
    ...{
      ratePerSecond: null,
      latencyMs: first.latencyMs,
      revision: present.revision,
      reportRevision: present.revision,
    },
    ...fields,
  } as BatchView;
}

/** The mocked batch, which a test may replace while the page shows it. */
export interface MockedBatch {
  batch: BatchView;
}

/** Serves the reads of one batch in a tab. */
export async function mockBatch(page: Page, batch: BatchView): Promise<MockedBatch> {
  const mocked = { batch };
  await page.route(`**/api/batches/${batch.id}`, (route) => route.fulfill({ json: mocked.batch }));
  return mocked;
}
