import { INBOX_STATES } from '../../intake/inbox/operator/inbox-files.ts';
import { JSON_TYPE, NEXT, query, type Route, whole } from '../edge/route.ts';
import { importAnswerSchema, importRequestSchema, inboxListSchema, inboxRetrySchema } from './schemas.ts';

/** The routes of the inbox. */
export const INBOX_ROUTES: readonly Route[] = [
  {
    name: 'import-batch',
    method: 'POST',
    route: 'workloads/{workload}/batches/from-url',
    audience: 'client',
    summary: 'Have a file imported into the inbox, from an allowed host or the own storage account',
    parameters: [
      {
        in: 'header',
        name: 'Idempotency-Key',
        description: 'The same key with the same content gives the same batch, for seven days',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      },
    ],
    body: { [JSON_TYPE]: importRequestSchema },
    answers: [
      {
        status: 202,
        description: 'The next look into the inbox begins with it',
        content: { [JSON_TYPE]: importAnswerSchema },
        headers: { location: 'The file in the inbox' },
      },
    ],
    problems: [
      ...(['invalid-parameter', 'not-found', 'conflict', 'too-large', 'unsupported-media-type'] as const),
      'idempotency-mismatch',
    ],
  },
  {
    name: 'list-inbox',
    method: 'GET',
    route: 'inbox',
    audience: 'client',
    summary: 'Files that wait in the inbox, are being taken, or were rejected, with the reason',
    parameters: [
      query('workload', 'Only files of this workload'),
      query('state', 'Only files in this state', { type: 'string', enum: [...INBOX_STATES] }),
      query('limit', 'Most files of the page', whole(1, 200, 50)),
      query('after', 'Go on after this place'),
      query('name', 'This file alone, also when it has become a batch; the other parameters are not looked at'),
    ],
    answers: [{ status: 200, description: 'A page', content: { [JSON_TYPE]: inboxListSchema }, headers: NEXT }],
    problems: ['invalid-parameter'],
  },
  {
    name: 'retry-inbox-file',
    method: 'POST',
    route: 'inbox/retry',
    audience: 'operator',
    summary: 'Move a rejected file back into the inbox, where the next look takes it',
    body: { [JSON_TYPE]: inboxRetrySchema },
    answers: [{ status: 202, description: 'It waits', content: { [JSON_TYPE]: inboxRetrySchema } }],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
  },
  {
    name: 'delete-inbox-file',
    method: 'DELETE',
    route: 'inbox',
    audience: 'operator',
    summary: 'Delete a rejected file and its reason',
    parameters: [query('name', 'Its name')],
    answers: [{ status: 204, description: 'It is gone', content: {} }],
    problems: ['invalid-parameter', 'not-found'],
  },
];
