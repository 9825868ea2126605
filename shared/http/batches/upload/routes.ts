import { DELIMITERS, MEDIA_TYPES } from '../../../contract/upload-kinds.ts';
import { CHARSETS } from '../../../intake/parse/csv-options.ts';
import { header, idempotencyKey, jsonAnswer, query, type Route, TEXTS } from '../../edge/route.ts';
import { batchViewSchema } from '../schemas.ts';
import { uploadCheckSchema } from './schemas.ts';
import { submitOverHttp, TRY_ITEMS, tryOverHttp } from './uploads.ts';

const UPLOAD_BODY = Object.fromEntries([...MEDIA_TYPES.keys()].map((type) => [type, 'text' as const]));

/** Source: Microsoft Learn, functions-scale, service limits. */
const BODY_LIMIT =
  'The platform itself answers a body over 210 MB, compressed or not, with an empty 413. Upload larger files to the inbox container.';

const CSV_PARAMETERS = [
  query('delimiter', 'CSV: the cell separator, by name or as the character. Detected from the header by default', {
    type: 'string',
    enum: [...Object.keys(DELIMITERS), ...Object.values(DELIMITERS)],
  }),
  query('decimal', 'CSV: the decimal separator', {
    type: 'string',
    enum: ['point', 'comma', '.', ','],
    default: 'point',
  }),
  query('rename', 'CSV: renames a column, as Old name=newName. May be repeated', TEXTS),
  query('charset', 'CSV: the charset. Defaults to that of the byte order mark, otherwise to utf-8', {
    type: 'string',
    enum: CHARSETS,
  }),
] as const;

const UPLOAD_HEADERS = [
  header('Content-Encoding', 'gzip, deflate, br or zstd. No default'),
  header('Sluice-Labels', 'At most ten labels of the batch, as key=value,key2=value2 with percent-encoded values'),
  header('Sluice-File-Name', 'Name of the uploaded file, percent-encoded; at most 255 characters'),
] as const;

export const UPLOAD_ROUTES = [
  {
    name: 'submit-batch',
    method: 'POST',
    path: 'workloads/{workload}/batches',
    audience: ['client'],
    summary: 'Submit a batch: accepted whole, or not at all',
    description: BODY_LIMIT,
    parameters: [
      query('lane', 'Priority class. Chosen by the workload by default'),
      ...CSV_PARAMETERS,
      query('validate', 'all: refuse the upload if an item violates the schema', { type: 'string', enum: ['all'] }),
      idempotencyKey('A repetition with the same key and content within seven days returns the first answer'),
      ...UPLOAD_HEADERS,
    ],
    body: UPLOAD_BODY,
    answers: [
      jsonAnswer(202, 'Accepted: stored as a whole; the references are being put', batchViewSchema, {
        headers: { location: 'URL of the batch', 'retry-after': 'Seconds' },
      }),
    ],
    problems: [
      ...(['malformed-record', 'malformed-encoding', 'empty-batch', 'invalid-parameter', 'not-found'] as const),
      ...(['upload-stalled', 'conflict', 'upload-in-progress', 'too-large', 'body-too-large'] as const),
      ...(['unsupported-media-type', 'invalid-items', 'idempotency-mismatch', 'busy'] as const),
    ],
    wakes: true,
    handler: (app) => (request, drains) => submitOverHttp({ ...app, deps: app.requestDeps(drains) }, request),
  },
  {
    name: 'try-upload',
    method: 'POST',
    path: 'workloads/{workload}/try',
    audience: ['client'],
    summary: 'Read and validate the beginning of an upload. Stores nothing and runs no handler',
    description: BODY_LIMIT,
    parameters: [
      TRY_ITEMS,
      query('lane', 'As for a submission, but only checked'),
      ...CSV_PARAMETERS,
      ...UPLOAD_HEADERS,
    ],
    body: UPLOAD_BODY,
    answers: [
      jsonAnswer(
        200,
        'The result of the check; for an upload that would be refused, with the reason',
        uploadCheckSchema,
      ),
    ],
    problems: ['invalid-parameter', 'not-found', 'upload-stalled', 'unsupported-media-type', 'busy'],
    handler: (app) => (request) => tryOverHttp(app, request),
  },
] as const satisfies readonly Route[];
