import { jsonBody, type RequestOptions, request, requestJson } from './request.ts';
import { spend } from './spending.ts';
import type { Cost, Health, PolicyView, QueueView } from './types.ts';

/** All queues as their gates know them; one query, and one more where a workload has limits. */
export const fetchQueues = (options: RequestOptions = {}): Promise<QueueView[]> => queuesOf('queues', options);

/** All queues, with depths of this moment: one operation per queue more. */
export async function measureQueues(options: RequestOptions = {}): Promise<QueueView[]> {
  const queues = await queuesOf('queues?fresh', options);
  spend(queues.length, 0);
  return queues;
}

async function queuesOf(path: string, options: RequestOptions): Promise<QueueView[]> {
  const { queues } = await requestJson<{ queues: QueueView[] }>(path, options);
  if (queues.some(({ limits }) => limits)) spend(1, 0);
  return queues;
}

/** Starts no more drains of a queue. */
export const pauseQueue = (queue: string, reason: string): Promise<unknown> =>
  request(`queues/${queue}/pause`, { method: 'POST', operations: 2, ...jsonBody(reason === '' ? {} : { reason }) });

/** Ends a pause. */
export const resumeQueue = (queue: string): Promise<unknown> =>
  request(`queues/${queue}/resume`, { method: 'POST', operations: 4 });

/** The scaling policy of a queue. */
export const fetchPolicy = (queue: string): Promise<PolicyView> =>
  requestJson<PolicyView>(`queues/${queue}/policy`, { operations: 2 });

/** Replaces the policy; refused when somebody else has changed it since `version`. */
export const savePolicy = (queue: string, { version, policy }: Omit<PolicyView, 'queue'>): Promise<PolicyView> =>
  requestJson<PolicyView>(`queues/${queue}/policy`, {
    method: 'PUT',
    operations: 2,
    ...jsonBody(policy, { 'if-match': `"${version}"` }),
  });

/** What a day and its month have cost. */
export const fetchCost = (day: string): Promise<Cost> =>
  requestJson<Cost>(day === '' ? 'cost' : `cost?day=${day}`, { operations: 2 });

/** Names of the workloads, without a key and without storage. */
export const fetchWorkloads = async (): Promise<string[]> =>
  (await requestJson<Health>('health', { operations: 0 })).workloads;
