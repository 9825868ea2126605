import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { Problem } from '../../errors.ts';
import { readQuota } from '../../limits/quota-row.ts';
import { changeGate, type GateDeps, readGate, wake } from '../../wake/gate.ts';
import type { QueueAddress, Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { jsonBodyOf } from '../edge/json-body.ts';
import { queueAddressOf } from '../edge/parameters.ts';
import { pauseRequestSchema } from '../edge/schemas.ts';
import { isLimited } from './limits-view.ts';
import { queueView } from './list-queues.ts';

export interface PauseHttp {
  registry: Registry;
  gate: Pick<GateDeps, 'table' | 'now'>;
}

/** POST queues/{queue}/pause: no drain starts any more, and one that runs ends after its wave. Wakes go on counting. */
export async function pauseQueue({ registry, gate }: PauseHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const address = queueAddressOf(request, registry);
  const { reason } = await jsonBodyOf(request, pauseRequestSchema);
  const now = new Date(gate.now()).toISOString();
  await changeGate(gate.table, address.queue, ({ paused }) => ({
    paused: { by: 'operator', reason, since: paused?.by === 'operator' ? paused.since : now },
  }));
  return answer(gate, address);
}

export interface ResumeHttp {
  registry: Registry;
  /** The pool of this app; undefined: all. */
  pool: string | undefined;
  gate: GateDeps;
}

/** POST queues/{queue}/resume: ends a pause, whoever made it, and wakes the queue. */
export async function resumeQueue(
  { registry, pool, gate }: ResumeHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const address = queueAddressOf(request, registry);
  const { queue, workload } = address;
  // Waking starts a drain in this app's own task hub, where the queue's pool would never see it.
  if (pool !== undefined && workload.pool !== pool) {
    throw new Problem('conflict', `Queue "${queue}" is of pool "${workload.pool}"; this app runs "${pool}".`);
  }
  await changeGate(gate.table, queue, ({ paused }) => (paused === undefined ? undefined : { paused: undefined }));
  await wake(gate, queue);
  return answer(gate, address);
}

async function answer({ table, now }: PauseHttp['gate'], address: QueueAddress): Promise<HttpResponseInit> {
  const { row: gate } = await readGate(table, address.queue);
  const quota = isLimited(address) ? (await readQuota(table, address.workload.name)).row : undefined;
  return json(queueView(address, { gate, quota, nowMs: now() }));
}
