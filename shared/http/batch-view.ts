import { type BatchRow, isSettled, pendingItems } from '../batches/batch-row.ts';

/** A batch as the API shows it: the shape of docs/api.md. `nowMs` is service time, for rate and estimate. */
export function batchView(row: BatchRow, nowMs: number) {
  const { id, workload, version, lane, pool, state, accepted, succeeded, dead, cancelled, retried, duplicatesSeen } =
    row;
  const pending = pendingItems(row);
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
    times: {
      accepted: row.acceptedAt,
      queued: row.queuedAt ?? null,
      started: row.startedAt ?? null,
      completed: row.completedAt ?? null,
      deadline: row.deadlineAt,
    },
    ...progress(row, pending, nowMs),
    latencyMs: row.latencyMax === undefined ? null : { p50: row.latencyP50, p95: row.latencyP95, max: row.latencyMax },
    reportRevision: row.reportRevision < 0 ? null : row.reportRevision,
    ...(row.reportProblem === undefined ? {} : { reportProblem: row.reportProblem }),
    receipt: { operations: row.operations, handlerSeconds: Math.round(row.handlerSeconds * 1000) / 1000 },
    links: links(row),
  };
}

/** Items a second since the first were done, and when the rest would be at that rate; null while nothing is known. */
function progress(
  row: BatchRow,
  pending: number,
  nowMs: number,
): { ratePerSecond: number | null; etaAt: string | null } {
  if (row.queuedAt === undefined) return { ratePerSecond: null, etaAt: null };
  const end = row.completedAt === undefined ? nowMs : Date.parse(row.completedAt);
  const seconds = Math.max(0.001, (end - Date.parse(row.queuedAt)) / 1000);
  const rate = (row.accepted - pending) / seconds;
  const running = !isSettled(row.state) && rate > 0;
  return {
    ratePerSecond: Math.round(rate),
    etaAt: running ? new Date(nowMs + (pending / rate) * 1000).toISOString() : null,
  };
}

function links({ id }: BatchRow): Record<string, string> {
  const self = `/api/batches/${id}`;
  return { self, results: `${self}/results`, report: `${self}/report`, deadLetters: `${self}/dead-letters` };
}
