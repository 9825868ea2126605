import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { readQuotas } from '../../limits/quota-row.ts';
import { inParallel } from '../../parallel.ts';
import type { Table } from '../../storage/table.ts';
import { newGate } from '../../wake/gate-row.ts';
import type { QueueAddress, Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { isLimited, type KnownLimits, limitsView } from './limits-view.ts';
import { readGates } from './read-gates.ts';
import type { QueueView } from './schemas.ts';

export interface QueuesHttp {
  table: Table;
  /** Service time in milliseconds. */
  now: () => number;
  registry: Registry;
  /** undefined: of all pools. */
  pool: string | undefined;
  depthOf: (queue: string) => Promise<number>;
}

const MEASURES_AT_ONCE = 16;

/**
 * GET queues: every queue of the pool as its gate knows it, by one table query, and by one more where a workload has
 * limits. The depth is that of the gate's last measurement; `?fresh` measures now, one operation per queue.
 */
export async function listQueues(deps: QueuesHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const addresses = deps.registry.queues(deps.pool);
  const [gates, quotas] = await Promise.all([
    readGates(deps.table),
    addresses.some(isLimited) ? readQuotas(deps.table) : undefined,
  ]);
  const nowMs = deps.now();
  const fresh = request.query.has('fresh');
  const queues = await inParallel(addresses, MEASURES_AT_ONCE, async (address) => {
    const gate = gates.get(address.queue) ?? newGate(address.queue);
    const measured = fresh ? { ...gate, depth: await deps.depthOf(address.queue) } : gate;
    return queueView(address, { gate: measured, quota: quotas?.get(address.workload.name), nowMs });
  });
  return json({ queues });
}

/** A queue as the API shows it: what its workload says, what its gate knows, and its part in the workload's limits. */
export function queueView(address: QueueAddress, known: KnownLimits): QueueView {
  const { queue, workload, lane, kind } = address;
  const { gate } = known;
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
    limits: limitsView(address, known),
  };
}
