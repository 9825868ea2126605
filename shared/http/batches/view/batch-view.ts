import { type BatchPause, type BatchRow, pendingItems, type RevisionTimes } from '../../../batches/batch-row.ts';
import type { BatchProgress } from '../../../batches/progress/progress-rows.ts';
import { firstRevision, isDeadlineMet, presentRevision } from '../../../batches/revisions.ts';
import type { TelemetryLinks } from '../../../settings.ts';
import type { Workload } from '../../../workload/define.ts';
import type { BatchView } from '../schemas.ts';
import { batchNotes } from './batch-notes.ts';
import { deadLetterHint, suspectHint } from './hints.ts';
import { paceOf } from './pace-view.ts';
import { type ReceiptBasis, receiptView } from './receipt-view.ts';

/** Data about a batch that is not in its row. */
export interface BatchNow {
  progress?: BatchProgress | undefined;
  blocked?: BatchView['blocked'];
  waiting?: BatchView['waiting'];
  /** Its workload; undefined if it is no longer deployed or was not read. */
  deployed?: Workload | undefined;
  telemetryLinks?: TelemetryLinks | undefined;
}

/** The representation of a batch in the API. `nowMs` is service time, for rate and estimate. */
export function batchView(
  row: BatchRow,
  nowMs: number,
  basis: ReceiptBasis,
  { telemetryLinks = {}, progress, blocked, waiting, deployed }: BatchNow = {},
): BatchView {
  const { state, accepted, succeeded, dead, discarded, cancelled, retried, duplicatesSeen } = row;
  const pending = pendingItems(row);
  const [first, present] = [firstRevision(row), presentRevision(row)];
  const view: Omit<BatchView, 'notes'> = {
    id: row.id,
    workload: row.workload,
    version: row.version,
    lane: row.lane,
    pool: row.pool,
    state,
    producer: row.producer,
    source: { kind: row.sourceKind, name: row.sourceName, file: row.fileName, format: row.format, csv: row.csv },
    labels: row.labels,
    counts: { accepted, succeeded, dead, discarded, cancelled, pending, retried, duplicatesSeen },
    chunks: { total: row.chunksTotal, done: row.chunksDone },
    times: { accepted: row.acceptedAt, ...timesOf(present) },
    deadline: { at: first.deadlineAt, met: isDeadlineMet(first, nowMs), atRiskAt: row.atRiskAt },
    progress: progress && progressView(progress),
    ...paceOf(
      { state, pending, running: progress, isBlocked: blocked !== undefined, deployed, paused: row.paused, ...present },
      nowMs,
    ),
    latencyMs: latencyOf(first),
    revision: row.revision,
    revisions: [...row.earlier, present].map(revisionView),
    reportRevision: row.reportRevision < 0 ? null : row.reportRevision,
    blocked,
    waiting,
    paused: row.paused && pauseView(row.paused),
    reportProblem: row.reportProblem,
    causes: row.causes,
    suspect: row.suspect && { causes: [...row.suspect.causes], ...suspectHint(row) },
    hint: row.suspect === undefined ? deadLetterHint(row) : undefined,
    receipt: receiptView(row, basis),
    links: { ...batchLinks(row.id), ...telemetryView(row, telemetryLinks) },
  };
  return { ...view, notes: batchNotes(view) };
}

const pauseView = ({ at: since, ...pause }: BatchPause): BatchView['paused'] => ({ ...pause, since });

const timesOf = ({ openedAt, queuedAt, startedAt, completedAt, deadlineAt }: RevisionTimes) => ({
  opened: openedAt,
  queued: queuedAt ?? null,
  started: startedAt ?? null,
  completed: completedAt ?? null,
  deadline: deadlineAt,
});

const revisionView = (revision: RevisionTimes): BatchView['revisions'][number] => ({
  revision: revision.revision,
  kind: kindOf(revision),
  reason: revision.discardReason,
  items: revision.items,
  ...timesOf(revision),
  latencyMs: latencyOf(revision),
});

function kindOf({ revision, items, discardReason }: RevisionTimes): BatchView['revisions'][number]['kind'] {
  if (revision === 0) return 'upload';
  if (discardReason !== undefined) return 'discard';
  return items === 0 ? 'report' : 'redrive';
}

function latencyOf({ latencyP50: p50, latencyP95: p95, latencyMax: max }: RevisionTimes): BatchView['latencyMs'] {
  return p50 === undefined || p95 === undefined || max === undefined ? null : { p50, p95, max };
}

const progressView = ({ error: latestError, ...progress }: BatchProgress): BatchView['progress'] => ({
  ...progress,
  latestError,
});

/** A batch that was accepted without telemetry has no trace, and so no link to it. */
function telemetryView({ id, traceparent }: BatchRow, { logs, trace }: TelemetryLinks): Partial<BatchView['links']> {
  const [, traceId] = traceparent?.split('-') ?? [];
  return { logs: logs?.replaceAll('{batch}', id), trace: traceId && trace?.replaceAll('{trace}', traceId) };
}

/** The addresses of a batch's resources. */
export function batchLinks(id: string): BatchView['links'] {
  const self = `/api/batches/${id}`;
  return { self, results: `${self}/results`, report: `${self}/report`, deadLetters: `${self}/dead-letters` };
}
