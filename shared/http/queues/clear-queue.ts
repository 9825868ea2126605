import { clearPoisonQueue } from '../../commands/clear-poison-queue.ts';
import { type ClearDeps, clearQueue } from '../../commands/clear-queue.ts';
import { poisonQueueName } from '../../contract/names.ts';
import { json } from '../edge/answers.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { invalid, queueAddressOf } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import { type ClearedQueue, clearRequestSchema } from './schemas.ts';

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
