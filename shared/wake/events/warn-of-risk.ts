/** Publishes, before the deadline of a revision and at least once, that it is likely to be missed. */
import { isFinished } from '../../batches/batch-row.ts';
import { changeFrom } from '../../batches/ledger.ts';
import { isAtRisk, type RiskFacts, riskOf } from '../../batches/progress/deadline-risk.ts';
import type { BatchAndProgress } from '../../batches/progress/progress-rows.ts';
import type { Table } from '../../storage/table.ts';
import { withTrace } from '../../telemetry/trace.ts';
import type { GateDeps } from '../gate/gate.ts';
import { type BatchEventDeps, publishRisk } from './batch-events.ts';
import { tryPublish } from './publish.ts';

export interface RiskDeps extends BatchEventDeps {
  table: Table;
  gate: Pick<GateDeps, 'now'>;
}

/**
 * Publishes that a batch is at risk if it is, and marks its row; no operation for any other batch. It publishes first:
 * a crash in between repeats the event, with the same message id; the other order would lose it. An event that cannot
 * be published is logged, and published at the next look: the caller's own work does not depend on the topic.
 */
export async function warnOfRisk(
  deps: RiskDeps,
  { row, etag, progress }: BatchAndProgress,
  { nextLookMs }: Pick<RiskFacts, 'nextLookMs'> = {},
): Promise<void> {
  const nowMs = deps.gate.now();
  const facts: RiskFacts = { nowMs, progress, nextLookMs };
  if (!isAtRisk(row, facts)) return;
  const publish = () => withTrace(row.traceparent, () => publishRisk(deps, row, riskOf(row, facts)));
  if (!(await tryPublish({ batch: row.id }, publish))) return;
  const atRiskAt = new Date(nowMs).toISOString();
  await changeFrom(deps.table, { row, etag }, (now) =>
    now.revision === row.revision && now.atRiskAt === undefined && !isFinished(now.state) ? { atRiskAt } : undefined,
  );
}
