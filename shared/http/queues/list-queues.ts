import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { json } from '../edge/answers.ts';
import { type QueueViewsDeps, readQueueViews } from './queue-views.ts';

export interface QueuesHttp extends QueueViewsDeps {
  /** undefined: all pools. */
  pool: string | undefined;
}

/** GET queues: every queue of the pool, with its depth and backlog. `?fresh` measures all depths now. */
export async function listQueues(deps: QueuesHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const fresh = request.query.has('fresh');
  const { queues } = await readQueueViews(deps, deps.registry.queues(deps.pool), { fresh });
  return json({ queues: queues.map(({ view }) => view) });
}
