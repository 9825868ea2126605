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

/** learn: functions-scale, service limits. */
const BODY_LIMIT =
  'The platform itself answers a body over 210 MB, as sent, with an empty 413. Put larger files into the inbox container.';

const CSV_PARAMETERS: readonly RouteParameter[] = [
  query('delimiter', 'CSV: what separates cells, by name or as the character; default found from the header', {
    type: 'string',
    enum: [...Object.keys(DELIMITERS), ...Object.values(DELIMITERS)],
  }),
  query('decimal', 'CSV: what stands before the fraction of a number', {
    type: 'string',
    enum: ['point', 'comma', '.', ','],
    default: 'point',
  }),
  query('rename', 'CSV: a column by another name, as Old name=newName; may be repeated', TEXTS),
  query('charset', 'CSV: default utf-8, or as a byte order mark says', { type: 'string', enum: [...CHARSETS] }),
];

const UPLOAD_HEADERS: readonly RouteParameter[] = [
  { in: 'header', name: 'Content-Encoding', description: 'gzip, deflate, br or zstd; default none' },
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
      query('lane', 'Priority class; default as the workload decides'),
      ...CSV_PARAMETERS,
      query('validate', 'all: refuse the upload if an item does not fit the schema', { type: 'string', enum: ['all'] }),
      {
        in: 'header',
        name: 'Idempotency-Key',
        description: 'The same key with the same content gives the first answer, for seven days',
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
        headers: { location: 'The batch', 'retry-after': 'Seconds' },
      },
    ],
    problems: [
      ...(['malformed-record', 'malformed-encoding', 'empty-batch', 'invalid-parameter', 'not-found'] as const),
      ...(['upload-stalled', 'conflict', 'upload-in-progress', 'too-large', 'body-too-large'] as const),
      ...(['unsupported-media-type', 'invalid-items', 'idempotency-mismatch', 'busy'] as const),
    ],
  },
  {
    name: 'try-upload',
    method: 'POST',
    route: 'workloads/{workload}/try',
    audience: 'client',
    summary: 'Read and validate the beginning of an upload; nothing is stored, and no handler runs',
    description: BODY_LIMIT,
    parameters: [
      query('items', 'Most items to validate', whole(TRY_ITEMS.min, TRY_ITEMS.max, TRY_ITEMS.fallback)),
      query('lane', 'As for a submission; only checked'),
      ...CSV_PARAMETERS,
      ...UPLOAD_HEADERS,
    ],
    body: UPLOAD_BODY,
    answers: [
      {
        status: 200,
        description: 'What was read; also for an upload that would be refused, with its fault',
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
      query('limit', 'Most batches of the page', whole(1, 200, 50)),
      query('workload', 'Only batches of this workload'),
      query('state', 'Only batches in this state', { type: 'string', enum: [...BATCH_STATES] }),
      query('label', 'Only batches with this label, as key=value; may be repeated', TEXTS),
      query(
        'search',
        'Only batches with this at an end of their id, in the name of their file or the value of a label',
      ),
      query('after', 'Go on after this batch'),
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
    summary: 'Results of the finished chunks in row order, or where they lie',
    parameters: [
      formats('ndjson', 'csv'),
      query('from', 'Chunk to go on from'),
      query('limit', 'Most chunks of the page', whole(1, 1_000, 1_000)),
      query('manifest', 'Answer with the names of the blobs', { type: 'boolean' }),
      query('column', 'A column of the CSV; may be repeated', { type: 'array', items: { type: 'string' } }),
      query('header', 'absent: no header line in the CSV', { type: 'string', enum: ['present', 'absent'] }),
    ],
    answers: [
      {
        status: 200,
        description: 'A page of at most 64 MiB; of the manifest, by number alone',
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
    summary: 'The aggregate of a batch, a line a key',
    parameters: [
      formats('ndjson', 'csv', 'json'),
      query('revision', 'An earlier report; default the newest', { type: 'integer', minimum: 0 }),
    ],
    answers: [
      {
        status: 200,
        description: 'The whole report; NDJSON has {key, value} a line',
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
      'Stop what runs, keep what has finished, and cancel the rest; if nothing is left, the batch ends as completed',
    answers: [
      { status: 200, description: 'It has ended', content: { [JSON_TYPE]: cancelAnswerSchema } },
      { status: 202, description: 'It is being cancelled', content: { [JSON_TYPE]: cancelAnswerSchema } },
    ],
    problems: ['not-found', 'conflict'],
  },
  {
    name: 'pause-batch',
    method: 'POST',
    route: 'batches/{id}/pause',
    audience: 'operator',
    summary: 'Begin no more of a batch; what runs comes to its end',
    body: { [JSON_TYPE]: pauseRequestSchema },
    answers: [{ status: 200, description: 'The batch', content: { [JSON_TYPE]: batchViewSchema } }],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
  },
  {
    name: 'resume-batch',
    method: 'POST',
    route: 'batches/{id}/resume',
    audience: 'operator',
    summary: 'End the pause of a batch, whoever made it, and put the references of what is pending',
    answers: [
      { status: 200, description: 'The batch', content: { [JSON_TYPE]: batchViewSchema } },
      { status: 202, description: 'It is large: the sweep goes on with it', content: { [JSON_TYPE]: batchViewSchema } },
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
];
