import { redriveAnswerSchema, redriveRequestSchema, sweepAnswerSchema } from './batch-work-schemas.ts';
import type { Route } from './routes.ts';
import { batchViewSchema } from './schemas.ts';

const JSON_TYPE = 'application/json';

/** The routes by which operators work on a batch, or have the sweep do so. */
export const BATCH_WORK_ROUTES: readonly Route[] = [
  {
    name: 'redrive-dead-letters',
    method: 'POST',
    route: 'batches/{id}/dead-letters/redrive',
    audience: 'operator',
    summary:
      'Run dead letters of a finished batch again: all, those of a cause, or named ones, corrected where need be',
    parameters: [
      {
        in: 'header',
        name: 'Idempotency-Key',
        description: 'The same key with the same body gives the first answer, and redrives once',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      },
    ],
    body: { [JSON_TYPE]: redriveRequestSchema },
    answers: [
      {
        status: 202,
        description: 'They run again, in a new revision of the batch',
        content: { [JSON_TYPE]: redriveAnswerSchema },
        headers: { location: 'The batch', 'retry-after': 'Seconds' },
      },
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large', 'idempotency-mismatch'],
  },
  {
    name: 'cancel-batch',
    method: 'POST',
    route: 'batches/{id}/cancel',
    audience: 'operator',
    summary: 'Keep what has run, and cancel the rest; a batch of which nothing is left ends as completed',
    answers: [
      { status: 200, description: 'It is cancelled already', content: { [JSON_TYPE]: batchViewSchema } },
      { status: 202, description: 'It is being cancelled', content: { [JSON_TYPE]: batchViewSchema } },
    ],
    problems: ['not-found', 'conflict'],
  },
  {
    name: 'delete-batch',
    method: 'DELETE',
    route: 'batches/{id}',
    audience: 'operator',
    summary: 'Delete a finished batch with all that is stored of it',
    answers: [
      { status: 202, description: 'It is large: the sweep goes on with it', content: {} },
      { status: 204, description: 'It is gone', content: {} },
    ],
    problems: ['not-found', 'conflict'],
  },
  {
    name: 'run-sweep',
    method: 'POST',
    route: 'sweep',
    audience: 'operator',
    summary: 'Sweep now: repair whatever was lost; the last step of a deployment',
    answers: [{ status: 200, description: 'What it did', content: { [JSON_TYPE]: sweepAnswerSchema } }],
    problems: [],
  },
];
