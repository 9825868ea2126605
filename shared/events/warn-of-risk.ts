/**
 * Publishes at least once that a revision is likely to miss its deadline, or has missed it. For running chunks and for the sweep;
 * the collecting transaction marks the row itself (plan-apply.ts), and collect-batch.ts publishes the event.
 */
import { isFinished } from '../batches/batch-row.ts';
import { changeFrom } from '../batches/ledger.ts';
import { isAtRisk, type RiskFacts, riskOf } from '../batches/progress/deadline-risk.ts';
import type { BatchAndProgress } from '../batches/progress/progress-rows.ts';
import type { Table } from '../storage/table.ts';
import { withTrace } from '../telemetry/trace.ts';
import { type BatchEventDeps, publishRisk } from './batch-events.ts';
import { tryPublish } from './publish.ts';

export interface RiskDeps extends BatchEventDeps {
  table: Table;
  gate: { now: () => number };
}

/**
 * If a batch is at risk, publishes that and marks its row. Any other batch costs no operation. Publishes first: a crash
 * in between repeats the event with the same message id, and the other order would lose it. If the event cannot be
 * published, that is logged and the next check publishes it: the caller's own work does not depend on the topic.
 */
export async function warnOfRisk(
  deps: RiskDeps,
  { row, etag, progress }: BatchAndProgress,
  { nextCheckMs }: Pick<RiskFacts, 'nextCheckMs'> = {},
): Promise<void> {
  const nowMs = deps.gate.now();
  const facts: RiskFacts = { nowMs, progress, nextCheckMs };
  if (!isAtRisk(row, facts)) return;
  const publish = () => withTrace(row.traceparent, () => publishRisk(deps, row, riskOf(row, facts)));
  if (!(await tryPublish({ batch: row.id }, publish))) return;
  const atRiskAt = new Date(nowMs).toISOString();
  await changeFrom(deps.table, { row, etag }, (now) =>
    now.revision === row.revision && now.atRiskAt === undefined && !isFinished(now.state) ? { atRiskAt } : undefined,
  );
}
