import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { BatchRow } from '../../batches/batch-row.ts';
import { readBatch } from '../../batches/ledger.ts';
import type { IndexEntry } from '../../batches/listing/index-rows.ts';
import { pendingOf, type WatchedBatch } from '../../batches/watch/read-open-batches.ts';
import { readTroubled, type TroubledBatches } from '../../batches/watch/troubled-batches.ts';
import { batchTimeMs } from '../../contract/names.ts';
import { DAY_MS } from '../../days.ts';
import type { InboxFilesDeps } from '../../intake/inbox/operator/inbox-files.ts';
import { summarizeRejected } from '../../intake/inbox/operator/rejected-summary.ts';
import type { Table } from '../../storage/table.ts';
import type { DeadBatch } from '../dead-letters/cause-groups.ts';
import { json } from '../edge/answers.ts';
import { isWaiting } from '../queues/backlog.ts';
import type { QueuesHttp } from '../queues/list-queues.ts';
import { lookAtQueues } from '../queues/queue-views.ts';
import { endedIn, endedNotices, openNotices } from './batch-notices.ts';
import { sumDeadLetters } from './dead-letters.ts';
import { missedWakes, pausedQueues, poisonQueues, stuckDrains, totals } from './queue-notices.ts';
import { remembered } from './remembered.ts';
import type { Overview } from './schemas.ts';

export interface OverviewHttp extends QueuesHttp, Pick<InboxFilesDeps, 'container'> {
  /** Table of the batches. */
  table: Table;
}

const TROUBLED_MS = 10_000;
const REJECTED_MS = 60_000;
/** Reasons that a process keeps. */
const MAX_REASONS = 1_000;

/**
 * GET overview: what needs an operator now. Beside what GET queues reads: a query per day of the last 24 hours, which is
 * kept for 10 s or until an open batch ends; the depth of each poison queue and one page of the rejected files, kept for
 * 60 s; and why at most 40 batches are suspect or have no report. `?fresh` reads all of it now.
 */
export function createOverview(depsOf: () => OverviewHttp): (request: HttpRequest) => Promise<HttpResponseInit> {
  const now = (): number => depsOf().gate.now();
  const readLines = createLinesReader(depsOf);
  const readRejected = remembered(() => summarizeRejected(depsOf()), { maxAgeMs: REJECTED_MS, now });
  const readReason = createReasonReader(depsOf);
  return async (request) => {
    const deps = depsOf();
    const fresh = request.query.has('fresh');
    const [look, poison, inboxRejects] = await Promise.all([
      lookAtQueues(deps, deps.registry.queues(deps.pool), { fresh }),
      poisonQueues(deps, fresh),
      readRejected(fresh),
    ]);
    // Afterwards: a batch that ends in between is seen twice, where the other order would not see it at all.
    const { batches: lines, isWhole, sinceMs } = await readLines(look.batches, fresh);
    const nowMs = now();
    const gates = look.queues.map(({ gate }) => gate);
    const ended = { open: look.batches, lines };
    const waiting = look.batches.filter(isWaiting);
    const items = waiting.reduce((sum, batch) => sum + pendingOf(batch), 0);
    const overview: Overview = {
      at: isoOf(nowMs),
      queues: totals(look, { batches: waiting.length, items }),
      ...openNotices(look.batches, nowMs),
      pausedQueues: pausedQueues(look.queues.map(({ view }) => view)),
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

/** Reads the lines of the last day again when they are old, or when a batch is not open any more: it has a line since. */
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

/** Batches by their rows if they are open and were read: their lines are of their acceptance. */
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

/** Reads why a batch is suspect or has no report, once per batch and revision: that does not change any more. */
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
