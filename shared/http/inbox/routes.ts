import { INBOX_STATES } from '../../intake/inbox/operator/inbox-files.ts';
import { listTaking } from '../../intake/store/file-progress.ts';
import { idempotencyKey, JSON_TYPE, jsonAnswer, NEXT, query, type Route } from '../edge/route.ts';
import { deleteInboxFile, LIMIT, listInbox, retryInboxFile } from './files.ts';
import { importBatch } from './import-batch.ts';
import { importAnswerSchema, importRequestSchema, inboxListSchema, inboxRetrySchema } from './schemas.ts';

export const INBOX_ROUTES = [
  {
    name: 'import-batch',
    method: 'POST',
    path: 'workloads/{workload}/batches/from-url',
    audience: ['client'],
    summary: 'Import a blob of the storage account of the app into the inbox',
    parameters: [idempotencyKey('A repetition with the same key and content within seven days yields the same batch')],
    body: { [JSON_TYPE]: importRequestSchema },
    example: {
      url: 'https://ACCOUNT.blob.core.windows.net/uploads/usage.csv.gz',
      ...{ labels: { month: '2026-11' }, csv: { delimiter: 'semicolon' } },
    },
    answers: [
      jsonAnswer(202, 'The next poll of the inbox starts the import', importAnswerSchema, {
        headers: { location: 'URL of the file in the inbox' },
      }),
    ],
    problems: [
      ...(['invalid-parameter', 'not-found', 'conflict', 'too-large', 'unsupported-media-type'] as const),
      'idempotency-mismatch',
    ],
    handler: (app) => (request) => importBatch({ ...app.deps(), settings: app.settings }, request),
  },
  {
    name: 'list-inbox',
    method: 'GET',
    path: 'inbox',
    audience: ['client'],
    summary: 'Files in the inbox that wait, are being processed, or were rejected, with the reason',
    parameters: [
      query('workload', 'Only files of this workload'),
      query('state', 'Only files in this state', { type: 'string', enum: INBOX_STATES }),
      LIMIT,
      query('after', 'Continue after this place, from a link to the next page'),
      query('name', 'Only this file, even if it became a batch. The other parameters are ignored'),
    ],
    answers: [jsonAnswer(200, 'A page', inboxListSchema, { headers: NEXT })],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => {
      const { container, registry } = app.deps();
      return listInbox({ container, registry, listTaking: () => listTaking({ container }) }, request);
    },
  },
  {
    name: 'retry-inbox-file',
    method: 'POST',
    path: 'inbox/retry',
    audience: ['operator'],
    summary: 'Move a rejected file back into the inbox, where the next poll finds it',
    body: { [JSON_TYPE]: inboxRetrySchema },
    example: { name: 'billing/broken.ndjson' },
    answers: [jsonAnswer(202, 'The file waits', inboxRetrySchema)],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
    handler: (app) => (request) => retryInboxFile(app.deps(), request),
  },
  {
    name: 'delete-inbox-file',
    method: 'DELETE',
    path: 'inbox',
    audience: ['operator'],
    summary: 'Delete a rejected file and its reason',
    parameters: [query('name', 'The name of the file')],
    answers: [{ status: 204, description: 'The file is deleted', content: {} }],
    problems: ['invalid-parameter', 'not-found'],
    handler: (app) => (request) => deleteInboxFile(app.deps(), request),
  },
] as const satisfies readonly Route[];
