import { BATCH_STATES } from '../../batches/batch-row.ts';
import { DELIMITERS, MEDIA_TYPES } from '../../contract/upload-kinds.ts';
import { CHARSETS } from '../../intake/parse/csv/csv-options.ts';
import {
  formats,
  JSON_TYPE,
  NDJSON_TYPE,
  NEXT,
  query,
  type Route,
  type RouteParameter,
  STATE,
  TEXTS,
  whole,
} from '../edge/route.ts';
import { pauseRequestSchema } from '../edge/schemas.ts';
import {
  batchListSchema,
  batchViewSchema,
  cancelAnswerSchema,
  reportSchema,
  resultsManifestSchema,
  uploadCheckSchema,
} from './schemas.ts';
import { TRY_ITEMS } from './upload/try-upload.ts';

const UPLOAD_BODY = Object.fromEntries([...MEDIA_TYPES.keys()].map((type) => [type, 'text' as const]));

/** Source: Microsoft Learn: functions-scale, service limits. */
const BODY_LIMIT =
  'The platform itself answers a body over 210 MB, as sent, with an empty 413. Upload larger files to the inbox container.';

const CSV_PARAMETERS: readonly RouteParameter[] = [
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
    enum: [...CHARSETS],
  }),
];

const UPLOAD_HEADERS: readonly RouteParameter[] = [
  { in: 'header', name: 'Content-Encoding', description: 'gzip, deflate, br or zstd. No default' },
  {
    in: 'header',
    name: 'Sluice-Labels',
    description: 'At most ten labels of the batch, as key=value,key2=value2 with percent-encoded values',
  },
  {
    in: 'header',
    name: 'Sluice-File-Name',
    description: 'Name of the uploaded file, percent-encoded; at most 255 characters',
  },
];

/** The routes of batches, with their results and reports. */
export const BATCH_ROUTES: readonly Route[] = [
  {
    name: 'submit-batch',
    method: 'POST',
    route: 'workloads/{workload}/batches',
    audience: 'client',
    summary: 'Submit a batch: accepted whole, or not at all',
    description: BODY_LIMIT,
    parameters: [
      query('lane', 'Priority class. Chosen by the workload by default'),
      ...CSV_PARAMETERS,
      query('validate', 'all: refuse the upload if an item violates the schema', { type: 'string', enum: ['all'] }),
      {
        in: 'header',
        name: 'Idempotency-Key',
        description: 'A repetition with the same key and content within seven days returns the first answer',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      },
      ...UPLOAD_HEADERS,
    ],
    body: UPLOAD_BODY,
    answers: [
      {
        status: 202,
        description: 'Stored and enqueued',
        content: { [JSON_TYPE]: batchViewSchema },
        headers: { location: 'URL of the batch', 'retry-after': 'Seconds' },
      },
    ],
    problems: [
      ...(['malformed-record', 'malformed-encoding', 'empty-batch', 'invalid-parameter', 'not-found'] as const),
      ...(['upload-stalled', 'conflict', 'upload-in-progress', 'too-large', 'unsupported-media-type'] as const),
      ...(['invalid-items', 'idempotency-mismatch', 'busy'] as const),
    ],
  },
  {
    name: 'try-upload',
    method: 'POST',
    route: 'workloads/{workload}/try',
    audience: 'client',
    summary: 'Read and validate the beginning of an upload. Stores nothing and runs no handler',
    description: BODY_LIMIT,
    parameters: [
      query('items', 'Maximum number of items to validate', whole(TRY_ITEMS.min, TRY_ITEMS.max, TRY_ITEMS.fallback)),
      query('lane', 'As for a submission, but only checked'),
      ...CSV_PARAMETERS,
      ...UPLOAD_HEADERS,
    ],
    body: UPLOAD_BODY,
    answers: [
      {
        status: 200,
        description: 'The result of the check; for an upload that would be refused, with the reason',
        content: { [JSON_TYPE]: uploadCheckSchema },
      },
    ],
    problems: ['invalid-parameter', 'not-found', 'upload-stalled', 'unsupported-media-type', 'busy'],
  },
  {
    name: 'list-batches',
    method: 'GET',
    route: 'batches',
    audience: 'client',
    summary: 'Batches of a day, or of the last seven days, newest first',
    parameters: [
      query('day', 'A date in UTC', { type: 'string', format: 'date' }),
      query('limit', 'Maximum number of batches per page', whole(1, 200, 50)),
      query('workload', 'Only batches of this workload'),
      query('state', 'Only batches in this state', { type: 'string', enum: [...BATCH_STATES] }),
      query('label', 'Only batches with this label, as key=value. May be repeated', TEXTS),
      query(
        'search',
        'Only batches that contain this text at the start or end of their id, in their file name or in the value of a label',
      ),
      query('after', 'Continue after this batch'),
    ],
    answers: [{ status: 200, description: 'A page', content: { [JSON_TYPE]: batchListSchema }, headers: NEXT }],
    problems: ['invalid-parameter'],
  },
  {
    name: 'get-batch',
    method: 'GET',
    route: 'batches/{id}',
    audience: 'client',
    summary: 'State, counts, times, latency and receipt of a batch',
    answers: [{ status: 200, description: 'The batch', content: { [JSON_TYPE]: batchViewSchema } }],
    problems: ['not-found'],
  },
  {
    name: 'get-results',
    method: 'GET',
    route: 'batches/{id}/results',
    audience: 'client',
    summary: 'Results of the finished chunks in row order, or the positions of their frames',
    parameters: [
      formats('ndjson', 'csv'),
      query('from', 'The chunk to continue from'),
      query('limit', 'Maximum number of chunks per page', whole(1, 1_000, 1_000)),
      query('manifest', 'Return the names of the blobs and the positions of the frames instead', { type: 'boolean' }),
      query('column', 'A column of the CSV. May be repeated', { type: 'array', items: { type: 'string' } }),
      query('header', 'absent: no header line in the CSV', { type: 'string', enum: ['present', 'absent'] }),
    ],
    answers: [
      {
        status: 200,
        description: 'A page of at most 64 MiB. A page of the manifest is limited only by the number of chunks',
        content: { [NDJSON_TYPE]: 'text', 'text/csv': 'text', [JSON_TYPE]: resultsManifestSchema },
        headers: { ...NEXT, ...STATE },
      },
    ],
    problems: ['invalid-parameter', 'not-found'],
  },
  {
    name: 'get-report',
    method: 'GET',
    route: 'batches/{id}/report',
    audience: 'client',
    summary: 'The aggregate of a batch, one line per key',
    parameters: [
      formats('ndjson', 'csv', 'json'),
      query('revision', 'The revision of an earlier report. Defaults to the newest', { type: 'integer', minimum: 0 }),
    ],
    answers: [
      {
        status: 200,
        description: 'The whole report. NDJSON has one {key, value} per line',
        content: { [NDJSON_TYPE]: 'text', 'text/csv': 'text', [JSON_TYPE]: reportSchema },
        headers: {
          etag: 'Batch and revision',
          'sluice-report-revision': 'Revision',
          'sluice-report-rows': 'Number of keys',
          'sluice-report-created-at': 'When the last chunk was done',
          'sluice-report-accepted': 'Items accepted',
          'sluice-report-succeeded': 'Items succeeded',
          'sluice-report-dead': 'Dead letters',
          'sluice-report-discarded': 'Dead letters discarded',
          'sluice-report-cancelled': 'Items cancelled',
        },
      },
    ],
    problems: ['invalid-parameter', 'not-found'],
  },
  {
    name: 'cancel-batch',
    method: 'POST',
    route: 'batches/{id}/cancel',
    audience: 'operator',
    summary:
      'Stop running chunks, keep finished ones, and cancel the rest. If nothing is left to cancel, the batch becomes completed',
    answers: [
      { status: 200, description: 'The batch is finished', content: { [JSON_TYPE]: cancelAnswerSchema } },
      { status: 202, description: 'The cancellation continues', content: { [JSON_TYPE]: cancelAnswerSchema } },
    ],
    problems: ['not-found', 'conflict'],
  },
  {
    name: 'pause-batch',
    method: 'POST',
    route: 'batches/{id}/pause',
    audience: 'operator',
    summary: 'Start no further chunks of a batch. Running chunks finish',
    body: { [JSON_TYPE]: pauseRequestSchema },
    answers: [{ status: 200, description: 'The batch', content: { [JSON_TYPE]: batchViewSchema } }],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
  },
  {
    name: 'resume-batch',
    method: 'POST',
    route: 'batches/{id}/resume',
    audience: 'operator',
    summary: 'End the pause of a batch, whatever its cause, and put the references of its pending chunks',
    answers: [
      { status: 200, description: 'The batch', content: { [JSON_TYPE]: batchViewSchema } },
      {
        status: 202,
        description: 'The batch is large: the sweep puts the remaining references',
        content: { [JSON_TYPE]: batchViewSchema },
      },
    ],
    problems: ['not-found', 'conflict'],
  },
  {
    name: 'delete-batch',
    method: 'DELETE',
    route: 'batches/{id}',
    audience: 'operator',
    summary: 'Delete a finished batch with all of its stored data',
    answers: [
      { status: 202, description: 'The batch is large: the sweep continues the deletion', content: {} },
      { status: 204, description: 'The batch is deleted', content: {} },
    ],
    problems: ['not-found', 'conflict'],
  },
];
