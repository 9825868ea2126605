import { jsonBody, type RequestOptions, request, requestJson } from './http/request.ts';
import type { ClearedQueue, Cost, Health, PolicyView, QueueDetails, QueueView } from './types.ts';

/** All queues; depths that are too old are measured. */
export const fetchQueues = async (options: RequestOptions = {}): Promise<QueueView[]> =>
  (await requestJson<{ queues: QueueView[] }>('queues', options)).queues;

/** Starts no more drains of a queue. */
export const pauseQueue = (queue: string, reason: string): Promise<unknown> =>
  request(`queues/${queue}/pause`, { method: 'POST', ...jsonBody(reason === '' ? {} : { reason }) });

/** Ends a pause. */
export const resumeQueue = (queue: string): Promise<unknown> => request(`queues/${queue}/resume`, { method: 'POST' });

/** Wakes a queue now, without an event; nothing is started where nothing waits. */
export const drainQueue = async (queue: string): Promise<QueueView> =>
  requestJson<QueueView>(`queues/${queue}/drain`, { method: 'POST' });

/** Cancels the open batches of a paused queue and deletes its messages, for a minute at most. */
export async function clearQueue(queue: string): Promise<ClearedQueue> {
  const options = { method: 'POST', ...jsonBody({ confirm: queue }) } as const;
  return requestJson<ClearedQueue>(`queues/${queue}/clear`, options);
}

/** A queue with its latest waves and its policy. */
export const fetchQueue = (queue: string, options: RequestOptions = {}): Promise<QueueDetails> =>
  requestJson<QueueDetails>(`queues/${queue}`, options);

/** Replaces the policy; refused when somebody else has changed it since `version`. */
export const savePolicy = (
  queue: string,
  { version, policy }: Pick<PolicyView, 'version' | 'policy'>,
): Promise<PolicyView> =>
  requestJson<PolicyView>(`queues/${queue}/policy`, {
    method: 'PUT',
    ...jsonBody(policy, { 'if-match': `"${version}"` }),
  });

/** What a day and its month have cost. */
export const fetchCost = (day: string): Promise<Cost> => requestJson<Cost>(day === '' ? 'cost' : `cost?day=${day}`);

/** Names of the workloads, without a key and without storage. */
export const fetchWorkloads = async (): Promise<string[]> => (await requestJson<Health>('health')).workloads;
