import { policySchema } from '../../drain/planning/policy.ts';
import { JSON_TYPE, query, type Route, type RouteAnswer } from '../edge/route.ts';
import { pauseRequestSchema, resumeRequestSchema } from '../edge/schemas.ts';
import {
  clearedQueueSchema,
  clearRequestSchema,
  policyViewSchema,
  queueDetailsSchema,
  queueListSchema,
  queueViewSchema,
} from './schemas.ts';

const QUEUE: RouteAnswer = { status: 200, description: 'The queue', content: { [JSON_TYPE]: queueViewSchema } };
const POLICY: RouteAnswer = {
  status: 200,
  description: 'The policy',
  content: { [JSON_TYPE]: policyViewSchema },
  headers: { etag: 'The version of the policy' },
};

/** The routes of queues and their policies. */
export const QUEUE_ROUTES: readonly Route[] = [
  {
    name: 'list-queues',
    method: 'GET',
    route: 'queues',
    audience: 'operator',
    summary: 'All queues: depth, dequeue tasks, pause, and measurements of their drains',
    parameters: [
      query('fresh', 'Measure all depths and read all open batches now, one operation each', { type: 'boolean' }),
    ],
    answers: [{ status: 200, description: 'The queues', content: { [JSON_TYPE]: queueListSchema } }],
    problems: [],
  },
  {
    name: 'get-queue',
    method: 'GET',
    route: 'queues/{queue}',
    audience: 'operator',
    summary: 'A queue with its latest waves, the limit that determined each of them, and its policy',
    parameters: [query('fresh', 'Measure the depth and read all open batches now', { type: 'boolean' })],
    answers: [{ status: 200, description: 'The queue', content: { [JSON_TYPE]: queueDetailsSchema } }],
    problems: ['not-found'],
  },
  {
    name: 'pause-queue',
    method: 'POST',
    route: 'queues/{queue}/pause',
    audience: 'operator',
    summary: 'Start no further drains. A running drain ends after its wave',
    body: { [JSON_TYPE]: pauseRequestSchema },
    answers: [QUEUE],
    problems: ['invalid-parameter', 'not-found', 'too-large'],
  },
  {
    name: 'resume-queue',
    method: 'POST',
    route: 'queues/{queue}/resume',
    audience: 'operator',
    summary: 'End the pause that the body names, whatever its cause, and wake the queue',
    body: { [JSON_TYPE]: resumeRequestSchema },
    answers: [QUEUE],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
  },
  {
    name: 'drain-now',
    method: 'POST',
    route: 'queues/{queue}/drain',
    audience: 'operator',
    summary: 'Drain the waiting messages of the queue now, without a wake event',
    answers: [QUEUE],
    problems: ['not-found', 'conflict'],
  },
  {
    name: 'clear-queue',
    method: 'POST',
    route: 'queues/{queue}/clear',
    audience: 'operator',
    summary: 'Cancel the batches with work in a paused queue and delete its messages; or empty a poison queue',
    body: { [JSON_TYPE]: clearRequestSchema },
    answers: [{ status: 200, description: 'The result of the clearing', content: { [JSON_TYPE]: clearedQueueSchema } }],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
  },
  {
    name: 'get-policy',
    method: 'GET',
    route: 'queues/{queue}/policy',
    audience: 'operator',
    summary: 'The rule that determines the size of the waves of a queue',
    answers: [POLICY],
    problems: ['not-found'],
  },
  {
    name: 'put-policy',
    method: 'PUT',
    route: 'queues/{queue}/policy',
    audience: 'operator',
    summary: 'Change the policy of a queue, from the next wave on',
    parameters: [{ in: 'header', name: 'If-Match', description: 'The ETag of the policy to replace' }],
    body: { [JSON_TYPE]: policySchema },
    answers: [POLICY],
    problems: ['invalid-parameter', 'not-found', 'precondition-failed', 'too-large'],
  },
];
