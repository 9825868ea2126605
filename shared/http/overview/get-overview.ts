import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { readBatch } from '../../batches/ledger.ts';
import type { WatchedBatch } from '../../batches/watch/read-open-batches.ts';
import { readTroubled } from '../../batches/watch/troubled-batches.ts';
import { batchTimeMs } from '../../contract/names.ts';
import { DAY_MS } from '../../days.ts';
import { summarizeRejected } from '../../intake/inbox/operator/rejected-summary.ts';
import type { Settings } from '../../settings.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { jsonAnswer, query, type Route } from '../edge/route.ts';
import { type QueueReads, readQueueViews } from '../queues/queue-views.ts';
import { endedNotices, latestOf, openNotices, type ReadReason, sumDeadLetters } from './batch-notices.ts';
import { missedWakes, pausedQueues, poisonQueues, stuckDrains, totals } from './queue-notices.ts';
import { type Overview, overviewSchema } from './schemas.ts';

type OverviewHttp = QueueReads & Pick<Reads, 'table' | 'container'> & Pick<Settings, 'pool'>;

const TROUBLED_MS = 10_000;
const REJECTED_MS = 60_000;
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
  const readRejected = remembered(() => summarizeRejected(depsOf()), REJECTED_MS, now);
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
    const latest = latestOf(reading.batches, lines);
    const overview: Overview = {
      at: isoOf(nowMs),
      queues: totals(reading),
      ...openNotices(reading.batches, nowMs),
      pausedQueues: pausedQueues(reading.queues.map(({ view }) => view)),
      failedReports: await endedNotices(latest, 'reportFailed', readReason),
      suspect: await endedNotices(latest, 'suspect', readReason),
      deadLetters: {
        since: isoOf(sinceMs),
        ...sumDeadLetters(latest.filter(({ id }) => batchTimeMs(id) >= sinceMs)),
        isWhole,
      },
      missedWakes: missedWakes(gates, nowMs),
      poison,
      stuck: await stuckDrains(deps.gate, gates),
      inboxRejects,
    };
    return json(overview);
  };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** Reads the lines of the last day again if they are old, or if a batch is no longer open: it has a new line. */
function createLinesReader(depsOf: () => OverviewHttp) {
  let openThen: readonly string[] = [];
  const now = (): number => depsOf().gate.now();
  const readDay = async () => {
    const nowMs = now();
    const sinceMs = nowMs - DAY_MS;
    return { ...(await readTroubled(depsOf().table, { sinceMs, nowMs })), sinceMs };
  };
  const read = remembered(readDay, TROUBLED_MS, now);
  return (open: readonly WatchedBatch[], fresh: boolean) => {
    const ids = new Set(open.map(({ id }) => id));
    const hasEnded = openThen.some((id) => !ids.has(id));
    openThen = [...ids];
    return read(fresh || hasEnded);
  };
}

/** Reads why a batch is suspect or has no report, once per batch and revision, because the reason is final. */
function createReasonReader(depsOf: () => OverviewHttp): ReadReason {
  const known = new Map<string, string | undefined>();
  return async ({ id, revision }) => {
    const key = `${id}.${revision}`;
    if (known.has(key)) return known.get(key);
    const row = (await readBatch(depsOf().table, id))?.row;
    const reason = row?.suspect?.causes[0]?.cause ?? row?.reportProblem;
    if (known.size >= MAX_REASONS) known.clear();
    known.set(key, reason);
    return reason;
  };
}

/** Caches the result of `read` for `maxAgeMs`. `fresh` bypasses the cache. */
function remembered<T>(read: () => Promise<T>, maxAgeMs: number, now: () => number) {
  let last: { value: T; atMs: number } | undefined;
  return async (fresh: boolean): Promise<T> => {
    if (fresh || last === undefined || now() - last.atMs >= maxAgeMs) {
      const atMs = now();
      last = { value: await read(), atMs };
    }
    return last.value;
  };
}

export const OVERVIEW_ROUTES = [
  {
    name: 'get-overview',
    method: 'GET',
    path: 'overview',
    audience: ['operator'],
    summary:
      'Everything that currently needs an operator: late batches, pauses, dead letters of a day, and other problems',
    parameters: [query('fresh', 'Measure and read everything now, without caches', { type: 'boolean' })],
    answers: [jsonAnswer(200, 'The overview', overviewSchema)],
    problems: [],
    handler: (app) => createOverview(() => ({ ...app.deps(), pool: app.settings.pool })),
  },
] as const satisfies readonly Route[];
