import { policySchema } from '../../drain/policy.ts';
import { JSON_TYPE, type Route, type RouteAnswer } from '../edge/route.ts';
import { pauseRequestSchema } from '../edge/schemas.ts';
import { policyViewSchema, queueListSchema, queueViewSchema } from './schemas.ts';

const QUEUE: RouteAnswer = { status: 200, description: 'The queue', content: { [JSON_TYPE]: queueViewSchema } };
const POLICY: RouteAnswer = {
  status: 200,
  description: 'The policy',
  content: { [JSON_TYPE]: policyViewSchema },
  headers: { etag: 'Its version' },
};

/** The routes of queues and their policies. */
export const QUEUE_ROUTES: readonly Route[] = [
  {
    name: 'list-queues',
    method: 'GET',
    route: 'queues',
    audience: 'operator',
    summary: 'Every queue: depth, dequeue tasks, pause, what its drains have measured',
    parameters: [
      {
        in: 'query',
        name: 'fresh',
        description: 'Measure depths now, an operation a queue',
        schema: { type: 'boolean' },
      },
    ],
    answers: [{ status: 200, description: 'The queues', content: { [JSON_TYPE]: queueListSchema } }],
    problems: [],
  },
  {
    name: 'pause-queue',
    method: 'POST',
    route: 'queues/{queue}/pause',
    audience: 'operator',
    summary: 'Start no more drains; one that runs ends after its wave',
    body: { [JSON_TYPE]: pauseRequestSchema },
    answers: [QUEUE],
    problems: ['invalid-parameter', 'not-found', 'too-large'],
  },
  {
    name: 'resume-queue',
    method: 'POST',
    route: 'queues/{queue}/resume',
    audience: 'operator',
    summary: 'End a pause, whoever made it, and wake the queue',
    answers: [QUEUE],
    problems: ['not-found', 'conflict'],
  },
  {
    name: 'get-policy',
    method: 'GET',
    route: 'queues/{queue}/policy',
    audience: 'operator',
    summary: 'The rule by which the waves of a queue are sized',
    answers: [POLICY],
    problems: ['not-found'],
  },
  {
    name: 'put-policy',
    method: 'PUT',
    route: 'queues/{queue}/policy',
    audience: 'operator',
    summary: 'Change that rule, for the next wave on',
    parameters: [{ in: 'header', name: 'If-Match', description: 'The ETag of the policy that is to be replaced' }],
    body: { [JSON_TYPE]: policySchema },
    answers: [POLICY],
    problems: ['invalid-parameter', 'not-found', 'precondition-failed', 'too-large'],
  },
];
