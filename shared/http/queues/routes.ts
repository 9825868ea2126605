import { policySchema } from '../../gate/policy.ts';
import type { App } from '../edge/app.ts';
import { header, JSON_TYPE, jsonAnswer, query, type Route } from '../edge/route.ts';
import { pauseRequestSchema, resumeRequestSchema } from '../edge/schemas.ts';
import { clearOverHttp, drainNow, pauseQueue, resumeQueue } from './change-queue.ts';
import { getQueue, listQueues } from './list-queues.ts';
import { getPolicy, putPolicy } from './policy.ts';
import {
  clearedQueueSchema,
  clearRequestSchema,
  policyViewSchema,
  queueDetailsSchema,
  queueListSchema,
  queueViewSchema,
} from './schemas.ts';

const QUEUE = jsonAnswer(200, 'The queue', queueViewSchema);
const POLICY_EXAMPLE = {
  thresholds: [{ below: 100, tasks: 10 }, { below: 1_000, tasks: 50 }, { tasks: 100 }],
  ...{ capacity: 100, headroom: 0.25, targetSeconds: 10 },
};

const POLICY = jsonAnswer(200, 'The policy', policyViewSchema, {
  headers: { etag: 'The version of the policy' },
  example: { queue: 'billing-bulk-0', version: 1, policy: POLICY_EXAMPLE },
});

/** The dependencies of reads, with `pool` and `capacity`. */
const readsOf = (app: App) => ({ ...app.settings, ...app.deps() });

export const QUEUE_ROUTES = [
  {
    name: 'list-queues',
    method: 'GET',
    path: 'queues',
    audience: ['operator'],
    summary: 'All queues: depth, dequeue tasks, pause, and measurements of their drains',
    parameters: [
      query('fresh', 'Measure all depths and read all open batches now, one operation each', { type: 'boolean' }),
    ],
    answers: [jsonAnswer(200, 'The queues', queueListSchema)],
    problems: [],
    handler: (app) => (request) => listQueues(readsOf(app), request),
  },
  {
    name: 'get-queue',
    method: 'GET',
    path: 'queues/{queue}',
    audience: ['operator'],
    summary: 'A queue with its latest waves, the limit that determined each of them, and its policy',
    parameters: [query('fresh', 'Measure the depth and read all open batches now', { type: 'boolean' })],
    answers: [jsonAnswer(200, 'The queue', queueDetailsSchema)],
    problems: ['not-found'],
    handler: (app) => (request) => getQueue(readsOf(app), request),
  },
  {
    name: 'pause-queue',
    method: 'POST',
    path: 'queues/{queue}/pause',
    audience: ['operator'],
    summary: 'Start no further drains. A running drain ends after its wave',
    body: { [JSON_TYPE]: pauseRequestSchema },
    example: { reason: 'database is down', forSeconds: 3_600 },
    answers: [QUEUE],
    problems: ['invalid-parameter', 'not-found', 'too-large'],
    handler: (app) => (request) => pauseQueue(app.deps(), request),
  },
  {
    name: 'resume-queue',
    method: 'POST',
    path: 'queues/{queue}/resume',
    audience: ['operator'],
    summary: 'End the pause that the body names, whatever its cause, and wake the queue',
    body: { [JSON_TYPE]: resumeRequestSchema },
    example: { since: '2026-09-24T08:00:00.000Z' },
    answers: [QUEUE],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
    wakes: true,
    handler: (app) => (request, drains) => resumeQueue(app.wakeDeps(drains), request),
  },
  {
    name: 'drain-now',
    method: 'POST',
    path: 'queues/{queue}/drain',
    audience: ['operator'],
    summary: 'Drain the waiting messages of the queue now, without a wake event',
    answers: [QUEUE],
    problems: ['not-found', 'conflict'],
    wakes: true,
    handler: (app) => (request, drains) => drainNow(app.wakeDeps(drains), request),
  },
  {
    name: 'clear-queue',
    method: 'POST',
    path: 'queues/{queue}/clear',
    audience: ['operator'],
    summary: 'Cancel the batches with work in a paused queue and delete its messages; or empty a poison queue',
    body: { [JSON_TYPE]: clearRequestSchema },
    example: { confirm: 'billing-bulk-0' },
    answers: [
      jsonAnswer(200, 'The result of the clearing', clearedQueueSchema, {
        example: { queue: 'billing-bulk-0', batches: 4, messages: 3_210, left: 0 },
      }),
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
    wakes: true,
    handler: (app) => (request, drains) => clearOverHttp(app.requestDeps(drains), request),
  },
  {
    name: 'get-policy',
    method: 'GET',
    path: 'queues/{queue}/policy',
    audience: ['operator'],
    summary: 'The rule that determines the size of the waves of a queue',
    answers: [POLICY],
    problems: ['not-found'],
    handler: (app) => (request) => getPolicy(readsOf(app), request),
  },
  {
    name: 'put-policy',
    method: 'PUT',
    path: 'queues/{queue}/policy',
    audience: ['operator'],
    summary: 'Change the policy of a queue, from the next wave on',
    parameters: [header('If-Match', 'The ETag of the policy to replace')],
    body: { [JSON_TYPE]: policySchema },
    example: POLICY_EXAMPLE,
    answers: [POLICY],
    problems: ['invalid-parameter', 'not-found', 'precondition-failed', 'too-large'],
    handler: (app) => (request) => putPolicy(readsOf(app), request),
  },
] as const satisfies readonly Route[];
