import { jsonBody, type RequestOptions, request, requestJson } from './http/request.ts';
import type { ClearedQueue, Cost, Health, PolicyView, QueueDetails, QueueView } from './types.ts';

/** Fetches all queues; the server measures depths that are too old. */
export const fetchQueues = async (options: RequestOptions = {}): Promise<QueueView[]> =>
  (await requestJson<{ queues: QueueView[] }>('queues', options)).queues;

/** The wish to pause a queue or a batch; the reason may be empty. */
export interface PauseWish {
  reason: string;
  /** Until the pause ends by itself; absent if somebody has to end it. */
  forSeconds?: number | undefined;
}

/** Returns the body of a request to pause. */
export const pauseBody = ({ reason, forSeconds }: PauseWish): ReturnType<typeof jsonBody> =>
  jsonBody({ ...(reason === '' ? {} : { reason }), forSeconds });

/** Pauses a queue: no more drains of it start. */
export const pauseQueue = (queue: string, wish: PauseWish): Promise<unknown> =>
  request(`queues/${queue}/pause`, { method: 'POST', ...pauseBody(wish) });

/** Ends the pause of a queue that began at `since`. Refused if the queue has another pause. */
export const resumeQueue = (queue: string, since: string): Promise<unknown> =>
  request(`queues/${queue}/resume`, { method: 'POST', ...jsonBody({ since }) });

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
