import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { type BatchRow, isFinished } from '../../batches/batch-row.ts';
import { readBatchAndProgress, sumFresh } from '../../batches/progress-rows.ts';
import type { PriceSheet } from '../../cost/sheet.ts';
import type { Table } from '../../storage/table.ts';
import type { GateDeps } from '../../wake/gate.ts';
import type { GateRow } from '../../wake/gate-row.ts';
import type { Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { batchBy } from '../edge/parameters.ts';
import { readGates } from '../queues/read-gates.ts';
import { batchView } from './batch-view.ts';
import type { BatchView } from './schemas.ts';

export interface GetBatchHttp {
  table: Table;
  gate: Pick<GateDeps, 'table' | 'now'>;
  registry: Registry;
  prices: PriceSheet;
}

/**
 * GET batches/{id}: a batch and the progress of its running chunks by one table read; until it is finished or paused, a second
 * one tells whether its queues drain.
 */
export async function getBatch(deps: GetBatchHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const { row, progress: rows } = await batchBy(request, (id) => readBatchAndProgress(deps.table, id));
  const now = isFinished(row.state)
    ? {}
    : {
        blocked: row.state === 'paused' ? undefined : await readBlocked(deps, row),
        progress: sumFresh(rows, row, deps.gate.now()),
        deployed: deps.registry.workload(row.workload),
      };
  return json(batchView(row, deps.gate.now(), deps.prices, now));
}

async function readBlocked(
  { gate, registry }: GetBatchHttp,
  { workload, lane }: BatchRow,
): Promise<BatchView['blocked']> {
  const gates = await readGates(gate.table, `${workload}-`);
  for (const address of registry.queues()) {
    const isOfBatch = address.workload.name === workload && (address.lane === lane || address.kind === 'results');
    const blocked = isOfBatch ? blockedBy(gates.get(address.queue)) : undefined;
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
