import { INBOX_STATES } from '../../intake/inbox/inbox-files.ts';
import { JSON_TYPE, NEXT, query, type Route, whole } from '../edge/route.ts';
import { inboxListSchema, inboxRetrySchema } from './schemas.ts';

/** The routes of the inbox. */
export const INBOX_ROUTES: readonly Route[] = [
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
