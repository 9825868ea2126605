import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { clearPoisonQueue } from '../../commands/clear-poison-queue.ts';
import { type ClearDeps, clearQueue } from '../../commands/clear-queue.ts';
import { poisonQueueName } from '../../contract/names.ts';
import { Problem } from '../../errors.ts';
import type { Publish } from '../../events/publish.ts';
import { type GateDeps, wake } from '../../gate/gate.ts';
import { presentPause } from '../../gate/gate-row.ts';
import { readGate } from '../../gate/gate-store.ts';
import { pauseGate, resumeGate } from '../../gate/pause.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { invalid, queueAddressOf } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import { pauseRequestSchema, resumeRequestSchema } from '../edge/schemas.ts';
import { type QueueReads, readQueueView } from './queue-views.ts';
import { type ClearedQueue, clearRequestSchema } from './schemas.ts';

type QueueChange = QueueReads & Pick<Reads, 'depthOf'>;

/** POST queues/{queue}/pause. */
export const pauseQueue: Handle<QueueChange & { publish: Publish }> = async (http, request) => {
  const address = queueAddressOf(request, http.registry);
  await pauseGate(http, address, await jsonBodyOf(request, pauseRequestSchema));
  await http.depthOf(address.queue);
  return answer(http, address);
};

/** `pool`: that of this app; undefined means all. */
type WakeHttp = QueueChange & { pool: string | undefined; gate: GateDeps };

/** POST queues/{queue}/resume: ends the pause that the body names, whatever its cause, and wakes the queue. */
export const resumeQueue: Handle<WakeHttp> = async (http, request) => {
  const address = addressInPool(request, http);
  const { since } = await jsonBodyOf(request, resumeRequestSchema);
  await resumeGate(http.gate, address.queue, since);
  await http.depthOf(address.queue);
  return answer(http, address);
};

/** POST queues/{queue}/drain: wakes the queue without an event, if it has messages or is draining. */
export const drainNow: Handle<WakeHttp> = async (http, request) => {
  const address = addressInPool(request, http);
  const { queue } = address;
  const { gate, depthOf } = http;
  const { row } = await readGate(gate.table, queue);
  const pause = presentPause(row, gate.now());
  if (pause?.by === 'operator') {
    throw new Problem('conflict', `Queue "${queue}" is paused by an operator (${pause.reason}). Resume it first.`);
  }
  const depth = await depthOf(queue);
  if (row.status === 'draining' || depth > 0) await wake(gate, queue);
  return answer(http, address);
};

/**
 * The queue in the route; 409 if it is of another pool. Waking starts a drain in the task hub of this app, where the app of
 * another pool would never see it.
 */
function addressInPool(request: HttpRequest, { registry, pool }: WakeHttp): QueueAddress {
  const address = queueAddressOf(request, registry);
  const { queue, workload } = address;
  if (pool === undefined || workload.pool === pool) return address;
  throw new Problem(
    'conflict',
    `Queue "${queue}" belongs to pool "${workload.pool}". Call the app of that pool; this one runs pool "${pool}".`,
  );
}

/** Contains the depth that was measured just before. */
const answer = async (deps: QueueReads, address: QueueAddress): Promise<HttpResponseInit> =>
  json((await readQueueView(deps, address)).view);

/** Far below the 230 s after which the platform's front end cuts a request. Source: Microsoft Learn, functions-scale. */
const BUDGET_MS = 60_000;

/**
 * POST queues/{queue}/clear: cancels the batches with pending chunks in a paused queue of items and deletes its messages, or
 * deletes the messages of a poison queue. Works for at most a minute. The body must repeat the name of the queue.
 */
export const clearOverHttp: Handle<ClearDeps> = async (deps, request) => {
  const queue = request.params.queue ?? '';
  const workload = deps.registry.workloads.find(({ name }) => poisonQueueName(name) === queue);
  const address = workload === undefined ? queueAddressOf(request, deps.registry) : undefined;
  const { confirm } = await jsonBodyOf(request, clearRequestSchema);
  if (confirm !== queue) throw invalid('confirm', `"${queue}", the name of the queue`, confirm);
  const untilMs = deps.gate.now() + BUDGET_MS;
  const clearing = address ? clearQueue(deps, address, untilMs) : clearPoisonQueue(deps, queue, untilMs);
  return json({ queue, ...(await clearing) } satisfies ClearedQueue);
};
