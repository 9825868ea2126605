import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { type BatchRow, isFinished } from '../../batches/batch-row.ts';
import { readBatchAndProgress, sumFresh } from '../../batches/progress/progress-rows.ts';
import { resultsQueueName } from '../../contract/names.ts';
import type { TelemetryLinks } from '../../settings.ts';
import type { Table } from '../../storage/table.ts';
import type { GateDeps } from '../../wake/gate/gate.ts';
import type { GateRow } from '../../wake/gate/gate-row.ts';
import { queuesOf } from '../../wake/queue-of.ts';
import type { Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { batchBy } from '../edge/request/parameters.ts';
import { readGates } from '../queues/read-gates.ts';
import type { BatchView } from './schemas.ts';
import { type BatchNow, batchView } from './view/batch-view.ts';
import { readDrainShare } from './view/drain-share.ts';
import type { ReceiptBasis } from './view/receipt-view.ts';
import { readWaiting } from './view/waiting.ts';

export interface GetBatchHttp {
  table: Table;
  gate: Pick<GateDeps, 'table' | 'now'>;
  registry: Registry;
  basis: ReceiptBasis;
  /** No default. */
  links?: TelemetryLinks;
}

/**
 * GET batches/{id}: one table read returns the batch and the progress of its running chunks. Until the batch is finished or
 * paused, a second read determines whether its queues drain; if none of its chunks is running, a third read counts what is
 * ahead of it. For a finished batch, a second read returns the operations of its drains, and one read per queue those that are
 * archived.
 */
export async function getBatch(deps: GetBatchHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const { row, progress: rows } = await batchBy(request, (id) => readBatchAndProgress(deps.table, id));
  const progress = isFinished(row.state) ? undefined : sumFresh(rows, row, deps.gate.now());
  const now = isFinished(row.state)
    ? { share: await readDrainShare(deps.gate.table, row) }
    : {
        ...(row.state === 'paused' ? {} : await readQueues(deps, row, progress !== undefined)),
        progress,
        deployed: deps.registry.workload(row.workload),
      };
  return json(batchView(row, deps.gate.now(), deps.basis, { ...now, telemetryLinks: deps.links ?? {} }));
}

async function readQueues(
  { table, gate, registry }: GetBatchHttp,
  row: BatchRow,
  isRunning: boolean,
): Promise<Pick<BatchNow, 'blocked' | 'waiting'>> {
  const gates = await readGates(gate.table, `${row.workload}-`);
  const blocked = blockedOf(row, registry, gates);
  const waiting = isRunning
    ? undefined
    : await readWaiting(table, row, { registry, gates, blocked, nowMs: gate.now() });
  return { blocked, waiting };
}

function blockedOf(row: BatchRow, registry: Registry, gates: ReadonlyMap<string, GateRow>): BatchView['blocked'] {
  const workload = registry.workload(row.workload);
  if (workload === undefined) return undefined;
  for (const queue of [...queuesOf(workload, row, row.chunksTotal), resultsQueueName(workload.name)]) {
    const blocked = blockedBy(gates.get(queue));
    if (blocked !== undefined) return blocked;
  }
  return undefined;
}

function blockedBy(gate: GateRow | undefined): BatchView['blocked'] {
  if (gate?.paused !== undefined) {
    const { by, since, reason } = gate.paused;
    return {
      queue: gate.queue,
      since,
      reason: `paused by ${by === 'circuit' ? 'the circuit' : 'an operator'}: ${reason}`,
    };
  }
  if (gate?.startFailure !== undefined) {
    const { since, error } = gate.startFailure;
    return { queue: gate.queue, since, reason: `its drain cannot be started: ${error}` };
  }
  return undefined;
}
