import { jsonBody, type RequestOptions, request, requestJson } from './http/request.ts';
import type { ClearedQueue, Cost, Health, PolicyView, QueueDetails, QueueView } from './types.ts';

/** Fetches all queues; the server measures depths that are too old. */
export const fetchQueues = async (options: RequestOptions = {}): Promise<QueueView[]> =>
  (await requestJson<{ queues: QueueView[] }>('queues', options)).queues;

/** Pauses a queue: no more drains of it start. */
export const pauseQueue = (queue: string, reason: string): Promise<unknown> =>
  request(`queues/${queue}/pause`, { method: 'POST', ...jsonBody(reason === '' ? {} : { reason }) });

/** Ends the pause of a queue. */
export const resumeQueue = (queue: string): Promise<unknown> => request(`queues/${queue}/resume`, { method: 'POST' });

/** Wakes a queue now, without an event. If the queue is empty, no drain starts. */
export const drainQueue = async (queue: string): Promise<QueueView> =>
  requestJson<QueueView>(`queues/${queue}/drain`, { method: 'POST' });

/** Cancels the unfinished batches of a paused queue and deletes its messages, for at most one minute. */
export async function clearQueue(queue: string): Promise<ClearedQueue> {
  const options = { method: 'POST', ...jsonBody({ confirm: queue }) } as const;
  return requestJson<ClearedQueue>(`queues/${queue}/clear`, options);
}

/** Fetches a queue with its latest waves and its policy. */
export const fetchQueue = (queue: string, options: RequestOptions = {}): Promise<QueueDetails> =>
  requestJson<QueueDetails>(`queues/${queue}`, options);

/** Replaces the policy. Refused if it has changed since `version`. */
export const savePolicy = (
  queue: string,
  { version, policy }: Pick<PolicyView, 'version' | 'policy'>,
): Promise<PolicyView> =>
  requestJson<PolicyView>(`queues/${queue}/policy`, {
    method: 'PUT',
    ...jsonBody(policy, { 'if-match': `"${version}"` }),
  });

/** Fetches the cost of a day and its month. */
export const fetchCost = (day: string): Promise<Cost> => requestJson<Cost>(day === '' ? 'cost' : `cost?day=${day}`);

/** Fetches the names of the workloads; needs no key and reads no storage. */
export const fetchWorkloads = async (): Promise<string[]> => (await requestJson<Health>('health')).workloads;
