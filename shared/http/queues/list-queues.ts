import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { inParallel } from '../../parallel.ts';
import type { Table } from '../../storage/table.ts';
import { type GateRow, newGate } from '../../wake/gate-row.ts';
import type { QueueAddress, Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { readGates } from './read-gates.ts';
import type { QueueView } from './schemas.ts';

export interface QueuesHttp {
  table: Table;
  registry: Registry;
  /** undefined: of all pools. */
  pool: string | undefined;
  depthOf: (queue: string) => Promise<number>;
}

const MEASURES_AT_ONCE = 16;

/**
 * GET queues: every queue of the pool as its gate knows it, by one table query. The depth is that of the gate's last
 * measurement; `?fresh` measures now, an operation a queue.
 */
export async function listQueues(deps: QueuesHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const gates = await readGates(deps.table);
  const fresh = request.query.has('fresh');
  const queues = await inParallel(deps.registry.queues(deps.pool), MEASURES_AT_ONCE, async (address) => {
    const gate = gates.get(address.queue) ?? newGate(address.queue);
    return queueView(address, fresh ? { ...gate, depth: await deps.depthOf(address.queue) } : gate);
  });
  return json({ queues });
}

/** A queue as the API shows it: what its workload says, and what its gate knows. */
export function queueView({ queue, workload, lane, kind }: QueueAddress, gate: GateRow): QueueView {
  const { status, generation, depth, active, total, idleCount, wakes, missedWakes, orphanedReferences } = gate;
  const { taskLimit, throttled, itemsPerSecond, secondsPerReference, policyVersion, paused, startFailure, due } = gate;
  return {
    queue,
    workload: workload.name,
    lane,
    kind,
    pool: workload.pool,
    status,
    generation,
    depth,
    active,
    total,
    idleCount,
    wakes,
    paused: paused ?? null,
    startFailure: startFailure ?? null,
    missedWakes,
    orphanedReferences,
    taskLimit,
    throttled,
    itemsPerSecond,
    secondsPerReference,
    policyVersion,
    dueAt: due[0] ?? null,
  };
}
