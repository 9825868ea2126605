import {
  type BatchPause,
  type BatchRow,
  isFinished,
  pendingItems,
  type RevisionTimes,
} from '../../batches/batch-row.ts';
import { firstRevision, isDeadlineMet, presentRevision } from '../../batches/revisions.ts';
import type { PriceSheet } from '../../cost/sheet.ts';
import { receiptView } from './receipt-view.ts';
import type { BatchView } from './schemas.ts';

/** A batch as the API shows it. `nowMs` is service time, for rate and estimate; the receipt is priced by `sheet`. */
export function batchView(row: BatchRow, nowMs: number, sheet: PriceSheet): BatchView {
  const { id, workload, version, lane, pool, state, accepted, succeeded, dead, cancelled, retried, duplicatesSeen } =
    row;
  const pending = pendingItems(row);
  const [first, present] = [firstRevision(row), presentRevision(row)];
  return {
    id,
    workload,
    version,
    lane,
    pool,
    state,
    source: { kind: row.sourceKind, name: row.sourceName },
    counts: { accepted, succeeded, dead, cancelled, pending, retried, duplicatesSeen },
    chunks: { total: row.chunksTotal, done: row.chunksDone },
    times: { accepted: row.acceptedAt, ...timesOf(present) },
    deadline: { at: first.deadlineAt, met: isDeadlineMet(first, nowMs) },
    ...progressOf({ state, pending, ...present }, nowMs),
    latencyMs: latencyOf(first),
    revision: row.revision,
    revisions: [...row.earlier, present].map(revisionView),
    reportRevision: row.reportRevision < 0 ? null : row.reportRevision,
    ...(row.paused === undefined ? {} : { paused: pauseView(row.paused) }),
    ...(row.reportProblem === undefined ? {} : { reportProblem: row.reportProblem }),
    receipt: receiptView(row, sheet),
    links: batchLinks(row.id),
  };
}

const pauseView = ({ by, reason, at: since }: BatchPause): BatchView['paused'] => ({ by, reason, since });

const timesOf = ({ openedAt, queuedAt, startedAt, completedAt, deadlineAt }: RevisionTimes) => ({
  opened: openedAt,
  queued: queuedAt ?? null,
  started: startedAt ?? null,
  completed: completedAt ?? null,
  deadline: deadlineAt,
});

const revisionView = (revision: RevisionTimes): BatchView['revisions'][number] => ({
  revision: revision.revision,
  items: revision.items,
  ...timesOf(revision),
  latencyMs: latencyOf(revision),
});

function latencyOf({ latencyP50: p50, latencyP95: p95, latencyMax: max }: RevisionTimes): BatchView['latencyMs'] {
  return p50 === undefined || p95 === undefined || max === undefined ? null : { p50, p95, max };
}

type Progressing = Pick<RevisionTimes, 'items' | 'queuedAt' | 'completedAt'> & {
  state: BatchRow['state'];
  pending: number;
};

/**
 * Computes the items per second of the present revision since it was queued, and when the rest would be done at that
 * rate; null while nothing is known, and while the batch is paused.
 */
export function progressOf(
  { state, items, pending, queuedAt, completedAt }: Progressing,
  nowMs: number,
): Pick<BatchView, 'ratePerSecond' | 'etaAt'> {
  if (queuedAt === undefined) return { ratePerSecond: null, etaAt: null };
  const end = completedAt === undefined ? nowMs : Date.parse(completedAt);
  const seconds = Math.max(0.001, (end - Date.parse(queuedAt)) / 1000);
  const rate = (items - pending) / seconds;
  const running = !isFinished(state) && state !== 'paused' && rate > 0;
  return {
    ratePerSecond: Math.round(rate),
    etaAt: running ? new Date(nowMs + (pending / rate) * 1000).toISOString() : null,
  };
}

/** Where the resources of a batch are. */
export function batchLinks(id: string): BatchView['links'] {
  const self = `/api/batches/${id}`;
  return { self, results: `${self}/results`, report: `${self}/report`, deadLetters: `${self}/dead-letters` };
}
