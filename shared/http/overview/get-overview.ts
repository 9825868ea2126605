import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { BatchRow } from '../../batches/batch-row.ts';
import { readBatch } from '../../batches/ledger.ts';
import type { IndexEntry } from '../../batches/listing/index-rows.ts';
import { pendingOf, type WatchedBatch } from '../../batches/watch/read-open-batches.ts';
import { readTroubled, type TroubledBatches } from '../../batches/watch/troubled-batches.ts';
import { batchTimeMs } from '../../contract/names.ts';
import { DAY_MS } from '../../days.ts';
import { summarizeRejected } from '../../intake/inbox/operator/rejected-summary.ts';
import type { Settings } from '../../settings.ts';
import type { DeadBatch } from '../dead-letters/cause-groups.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { isWaiting } from '../queues/backlog.ts';
import { type QueueReads, readQueueViews } from '../queues/queue-views.ts';
import { endedIn, endedNotices, openNotices, sumDeadLetters } from './batch-notices.ts';
import { missedWakes, pausedQueues, poisonQueues, stuckDrains, totals } from './queue-notices.ts';
import type { Overview } from './schemas.ts';

type OverviewHttp = QueueReads & Pick<Reads, 'table' | 'container'> & Pick<Settings, 'pool'>;

const TROUBLED_MS = 10_000;
const REJECTED_MS = 60_000;
/** Maximum number of cached reasons. */
const MAX_REASONS = 1_000;

/**
 * GET overview: everything that currently needs an operator. In addition to the reads of GET queues: a query per day of the
 * last 24 hours, cached for 10 s or until an open batch ends; the depth of each poison queue and one page of the rejected
 * files, cached for 60 s; and the reasons of at most 40 batches that are suspect or have no report. `?fresh` bypasses the
 * caches.
 */
export function createOverview(depsOf: () => OverviewHttp): (request: HttpRequest) => Promise<HttpResponseInit> {
  const now = (): number => depsOf().gate.now();
  const readLines = createLinesReader(depsOf);
  const readRejected = remembered(() => summarizeRejected(depsOf()), { maxAgeMs: REJECTED_MS, now });
  const readReason = createReasonReader(depsOf);
  return async (request) => {
    const deps = depsOf();
    const fresh = request.query.has('fresh');
    const [reading, poison, inboxRejects] = await Promise.all([
      readQueueViews(deps, deps.registry.queues(deps.pool), fresh),
      poisonQueues(deps, fresh),
      readRejected(fresh),
    ]);
    // Read after the open batches: a batch that ends in between is then seen twice. In the other order, it would be missed.
    const { batches: lines, isWhole, sinceMs } = await readLines(reading.batches, fresh);
    const nowMs = now();
    const gates = reading.queues.map(({ gate }) => gate);
    const ended = { open: reading.batches, lines };
    const waiting = reading.batches.filter(isWaiting);
    const items = waiting.reduce((sum, batch) => sum + pendingOf(batch), 0);
    const overview: Overview = {
      at: isoOf(nowMs),
      queues: totals(reading, { batches: waiting.length, items }),
      ...openNotices(reading.batches, nowMs),
      pausedQueues: pausedQueues(reading.queues.map(({ view }) => view)),
      failedReports: await endedNotices(endedIn('reportFailed', ended), readReason),
      suspect: await endedNotices(endedIn('suspect', ended), readReason),
      deadLetters: { since: isoOf(sinceMs), ...sumDeadLetters(deadCounts(ended, sinceMs)), isWhole },
      missedWakes: missedWakes(gates, nowMs),
      poison,
      stuck: await stuckDrains(deps.gate, gates),
      inboxRejects,
    };
    return json(overview);
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

type ReadLines = (open: readonly WatchedBatch[], fresh: boolean) => Promise<TroubledBatches & { sinceMs: number }>;

/** Reads the lines of the last day again if they are old, or if a batch is no longer open: it has a new line. */
function createLinesReader(depsOf: () => OverviewHttp): ReadLines {
  let openThen: readonly string[] = [];
  const now = (): number => depsOf().gate.now();
  const read = remembered(
    async () => {
      const nowMs = now();
      const sinceMs = nowMs - DAY_MS;
      return { ...(await readTroubled(depsOf().table, { sinceMs, nowMs })), sinceMs };
    },
    { maxAgeMs: TROUBLED_MS, now },
  );
  return (open, fresh) => {
    const ids = new Set(open.map(({ id }) => id));
    const hasEnded = openThen.some((id) => !ids.has(id));
    openThen = [...ids];
    return read(fresh || hasEnded);
  };
}

/**
 * Yields open batches by their rows, if these were read, because their entries date from their opening; others by their
 * lines in the listing.
 */
function* deadCounts(
  { open, lines }: { open: readonly WatchedBatch[]; lines: readonly IndexEntry[] },
  sinceMs: number,
): Generator<DeadBatch> {
  const read = new Set<string>();
  for (const { row } of open) {
    if (row === undefined) continue;
    read.add(row.id);
    if (batchTimeMs(row.id) >= sinceMs) yield row;
  }
  for (const line of lines) if (!read.has(line.id)) yield line;
}

type EndedBatch = Pick<BatchRow, 'id' | 'revision'>;

/** Reads why a batch is suspect or has no report, once per batch and revision, because the reason is final. */
function createReasonReader(depsOf: () => OverviewHttp): (batch: EndedBatch) => Promise<string | undefined> {
  const known = new Map<string, string | undefined>();
  return async ({ id, revision }) => {
    const key = `${id}.${revision}`;
    if (!known.has(key)) {
      const row = (await readBatch(depsOf().table, id))?.row;
      if (known.size >= MAX_REASONS) known.clear();
      known.set(key, row && (row.suspect?.causes[0]?.cause ?? row.reportProblem));
    }
    return known.get(key);
  };
}

/** Caches the result of `read` for `maxAgeMs`. `fresh` bypasses the cache. */
function remembered<T>(
  read: () => Promise<T>,
  { maxAgeMs, now }: { maxAgeMs: number; now: () => number },
): (fresh: boolean) => Promise<T> {
  let last: { value: T; atMs: number } | undefined;
  return async (fresh) => {
    if (fresh || last === undefined || now() - last.atMs >= maxAgeMs) {
      const atMs = now();
      last = { value: await read(), atMs };
    }
    return last.value;
  };
}
