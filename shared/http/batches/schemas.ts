/**
 * What the routes of batches answer with. The OpenAPI document is made from these, and tests check answers against
 * them.
 */
import { z } from 'zod';
import { BATCH_STATES } from '../../batches/batch-row.ts';
import { operationsSchema } from '../../contract/operations.ts';
import { DELIMITERS, ENCODINGS, FORMATS } from '../../contract/upload-kinds.ts';
import { DURABLE_BACKENDS } from '../../cost/durable-backend.ts';
import { CHARSETS } from '../../intake/parse/csv/csv-options.ts';
import { reportHeaderSchema } from '../../results/read-report.ts';
import { count, time, uploadPosition, usd } from '../edge/schemas.ts';

const operations = operationsSchema.describe('Billed operations by name, such as blob.put');

/** What a batch has spent; prices of `sheet`, in USD. */
export const batchReceiptSchema = z.object({
  soFar: z.boolean().describe('true: the batch or a drain that has worked for it has not ended, and more is to come'),
  handlerSeconds: z.number().nonnegative(),
  operations: operations.describe('Counted: done for this batch alone'),
  drainOperations: operations.describe('Counted: its share, by chunks, of what its drains have done beside that'),
  hostOperations: operations.describe('Computed: what the Durable extension does by itself on Azure Storage'),
  backend: z.enum(DURABLE_BACKENDS).describe('The durable backend that is deployed'),
  actions: z.number().nonnegative().describe('Durable actions of its drains: an orchestration start 1, an activity 2'),
  executions: z
    .object({ count: z.number().nonnegative(), gbSeconds: z.number().nonnegative() })
    .describe('Computed: executions of functions, as billed if no other runs beside them: an upper bound'),
  storageOperations: z.number().nonnegative().describe('All of the three that go to storage'),
  throttled: z.number().nonnegative().describe('Answers of a service that was too busy'),
  sheet: z.string(),
  currency: z.string(),
  byService: z.record(z.string(), usd),
  totalUsd: usd,
  unpriced: z.array(z.string()),
  unverified: z.array(z.string()).describe('Prices in the total whose source is not verified'),
  comparison: z.object({
    messageAnItem: z.object({ operations: count, usd, timesOurs: z.number().nonnegative().nullable() }),
    pollingThreadADay: z.object({ operations: count, usd }),
  }),
});
export type BatchReceipt = z.infer<typeof batchReceiptSchema>;

const latency = z.object({ p50: count, p95: count, max: count }).nullable();
/** `opened` is the acceptance of the upload, or of the redrive. */
const revisionTimes = z.object({
  opened: time,
  queued: time.nullable(),
  started: time.nullable(),
  completed: time.nullable(),
  deadline: time,
});
const deadlineMet = z
  .boolean()
  .nullable()
  .describe('Whether the first completion met the deadline, whatever was redriven later; null while that is open');

const atRiskAt = time
  .optional()
  .describe('When the present revision was first found likely to miss its deadline; absent: it was not');

const rate = z
  .number()
  .nonnegative()
  .nullable()
  .describe('Items per second of the present revision, since it was queued, without the time that it was paused');
const estimate = z
  .object({ completesAt: time, basis: z.string().describe('What it is computed from, in words') })
  .optional()
  .describe('When the present revision will be done; only while it is queued or running, and its rate is known');

const batchLinks = z.object({ self: z.string(), results: z.string(), report: z.string(), deadLetters: z.string() });

const labels = z.record(z.string(), z.string()).describe('What the client has labelled the batch with');

/** A batch. */
export const batchViewSchema = z.object({
  id: z.string(),
  workload: z.string(),
  version: count,
  lane: z.string(),
  pool: z.string(),
  state: z.enum(BATCH_STATES),
  producer: z
    .string()
    .optional()
    .describe('Who put the message of version 2 that the batch was adopted from; absent: a client or the inbox'),
  source: z.object({
    kind: z.enum(['http', 'inbox']),
    name: z.string(),
    file: z.string().optional().describe('Name of the uploaded file, as the client gave it'),
    format: z.enum(FORMATS).optional().describe('What the upload was written in'),
    csv: z
      .object({
        delimiter: z.string(),
        columns: count,
        cells: z.enum(['text', 'typed']).describe('text: the schema gives no JSON Schema to convert cells by'),
      })
      .optional()
      .describe('What a CSV upload was read as'),
  }),
  labels: labels.optional(),
  counts: z.object({
    accepted: count,
    succeeded: count,
    dead: count,
    discarded: count.describe('Dead letters that an operator has discarded: they never run again'),
    cancelled: count,
    pending: count,
    retried: count,
    duplicatesSeen: count,
  }),
  chunks: z.object({ total: count, done: count }),
  times: revisionTimes
    .extend({ accepted: time.describe('Of the upload') })
    .describe('Of the present revision, but for accepted'),
  deadline: z
    .object({ at: time, met: deadlineMet, atRiskAt })
    .describe('The deadline of the upload; only atRiskAt is of the present revision, whose deadline is in times'),
  progress: z
    .object({
      chunks: count,
      items: count,
      ended: count.describe(
        'Those with a result or a dead letter; counts.pending has them until their chunk has ended',
      ),
      inFlight: count,
      failing: count.describe('Those whose attempt has failed, and dead letters'),
      latestError: z.string().optional(),
      at: time.describe('When the latest of them was counted'),
    })
    .optional()
    .describe('Of the chunks that run now, by workers that have run one for at least ten seconds'),
  ratePerSecond: rate,
  estimate,
  latencyMs: latency.describe('Item done minus batch accepted, for the first revision'),
  revision: count.describe('0 for the upload; each redrive opens the next'),
  revisions: z
    .array(
      revisionTimes.extend({
        revision: count,
        kind: z.enum(['upload', 'redrive', 'discard', 'report']).describe('What has opened it'),
        reason: z.string().optional().describe('Why its items were discarded'),
        items: count,
        latencyMs: latency,
      }),
    )
    .describe('The upload, and its redrives and discards: the latest 19, and the present revision last'),
  reportRevision: count.nullable(),
  blocked: z
    .object({ queue: z.string(), since: time, reason: z.string() })
    .optional()
    .describe(
      'Why an unfinished batch waits: the first of its queues that is paused, or whose drain cannot be started',
    ),
  waiting: z
    .object({
      queue: z.string(),
      batchesAhead: count.describe(
        'Open batches of the lane that were accepted or redriven before; at most 5,000 are counted',
      ),
      itemsAhead: count.describe('Their items, as they were accepted or redriven'),
      nextAt: time.optional().describe('When the circuit probes next, or the next delayed message becomes visible'),
      reason: z.string().describe('Why nothing of it runs, in words'),
    })
    .optional()
    .describe('Only while no item is known to have begun, or nothing of it runs'),
  paused: z
    .object({ by: z.enum(['operator', 'halt']), reason: z.string(), since: time })
    .optional()
    .describe('Why a batch in state paused was paused: by an operator, or by the option halt of its workload'),
  reportProblem: z.string().optional().describe('Why a finished batch has no report of its newest revision'),
  causes: z
    .record(z.string(), count)
    .optional()
    .describe('The most frequent causes of its current dead letters, at most 120 characters of each'),
  suspect: z
    .object({
      causes: z
        .array(
          z.object({
            cause: z.string(),
            count: count.describe('Items that died of it, as far as chunks name it among their most frequent causes'),
            example: z
              .object({ position: count.describe('0-based position in the batch'), message: z.string() })
              .optional()
              .describe('An item that died of it; absent when it could not be read'),
          }),
        )
        .max(3)
        .describe('The most frequent causes of the present revision'),
      hint: z.string().describe('What to look at, in words'),
      command: z.string().describe('Shows on the spot what the file is read as, and which items do not fit'),
    })
    .optional()
    .describe('Only in the state suspect: why none of the first items is valid'),
  hint: z
    .string()
    .optional()
    .describe(
      'What may be the cause of dead letters: the cells of a CSV upload are text where the schema cannot say more',
    ),
  receipt: batchReceiptSchema,
  links: batchLinks.extend({
    logs: z.string().optional().describe('Its logs in the telemetry back end, where the app knows the address'),
    trace: z.string().optional().describe('Its trace there'),
  }),
});
export type BatchView = z.infer<typeof batchViewSchema>;

const chunkTotals = z.object({ chunks: count, items: count });

/** A batch that is being cancelled, and what the request has done about it. */
export const cancelAnswerSchema = batchViewSchema.extend({
  cancellation: z.object({
    ended: chunkTotals.describe(
      'Pending chunks that this request has ended, and their items; the counters follow when that is collected',
    ),
    left: chunkTotals.describe(
      'What was pending beside them: a worker stops it if it runs, and a worker or the sweep cancels it if it waits, or its result is on its way',
    ),
  }),
});
export type CancelAnswer = z.infer<typeof cancelAnswerSchema>;

/** A batch as a listing shows it. */
export const batchEntrySchema = z.object({
  id: z.string(),
  workload: z.string(),
  lane: z.string(),
  state: z.enum(BATCH_STATES),
  accepted: count,
  dead: count,
  discarded: count,
  pending: count,
  file: z.string().optional().describe('Name of the uploaded file'),
  labels: labels.optional(),
  createdAt: time.describe('When the id was made; listings are sorted by it'),
  revision: count,
  openedAt: time.describe('When the present revision was opened; the three below are of it, too'),
  completedAt: time.nullable(),
  deadlineAt: time,
  ratePerSecond: rate,
  deadlineMet,
  latencyP95Ms: count.nullable().describe('Of the first revision, once it has completed'),
  causes: z.record(z.string(), count).optional().describe('The most frequent causes of its current dead letters'),
  atRiskAt: atRiskAt.describe('As `deadline.atRiskAt` of the batch; only until it is finished'),
  estimate,
  links: batchLinks,
});
export type BatchEntry = z.infer<typeof batchEntrySchema>;

/** Batches, newest first, and the days (UTC) that were looked at. */
export const batchListSchema = z.object({
  batches: z.array(batchEntrySchema),
  days: z.object({ from: z.iso.date(), to: z.iso.date() }),
  lookedAt: z
    .object({ batches: count, until: time.nullable().describe('Creation of the last one; null: none') })
    .describe('Batches that this page has compared with the filter; it may be empty, and still have a next page'),
});
export type BatchList = z.infer<typeof batchListSchema>;

const framePlace = z.object({ offset: count, length: count, bytes: count, items: count, digest: z.string() });

/** Where the results of a batch lie: a zstd frame of NDJSON each, in `container`. */
export const resultsManifestSchema = z.object({
  batch: z.string(),
  container: z.string(),
  blobs: z.array(framePlace.extend({ chunk: z.string(), blob: z.string() })),
});
export type ResultsManifest = z.infer<typeof resultsManifestSchema>;

/** One line of a report. */
export const reportLineSchema = z.object({ key: z.string(), value: z.unknown() });

/** A report as one JSON document. */
export const reportSchema = reportHeaderSchema.extend({ items: z.array(reportLineSchema) });

/** What the beginning of an upload is understood as, and how far it fits the schema (`UploadCheck` of intake). */
export const uploadCheckSchema = z.object({
  format: z.enum(FORMATS),
  encoding: z.enum(ENCODINGS),
  csv: z
    .object({
      delimiter: z.enum(Object.values(DELIMITERS)),
      decimal: z.enum(['.', ',']),
      charset: z.enum(CHARSETS),
      columns: z
        .array(
          z.object({
            header: z.string(),
            name: z.string().describe('Path in the item, with dots'),
            type: z.enum(['text', 'number', 'integer', 'boolean']).describe('What its cells are converted to'),
          }),
        )
        .readonly(),
    })
    .optional()
    .describe('What a CSV upload is read as'),
  items: count.describe('Items read and validated'),
  bytes: count.describe('Bytes of the body read, as received'),
  whole: z.boolean().describe('Whether that is the whole upload'),
  valid: count,
  invalid: count,
  causes: z.array(
    z.object({
      cause: z.string().describe('As dead letters are grouped'),
      count,
      examples: z.array(uploadPosition.extend({ path: z.string().optional() })).max(3),
    }),
  ),
  fault: uploadPosition.optional().describe('Why the upload would be refused: it cannot be read any further'),
  estimate: z
    .object({
      ...{ items: count, chunks: count, lane: z.string(), operations: count, usd, sheet: z.string() },
      currency: z.string(),
      unverified: z.array(z.string()),
    })
    .optional()
    .describe('The whole upload, in proportion to the bytes read; with handlers as long as secondsPerChunk'),
});
export type UploadCheckView = z.infer<typeof uploadCheckSchema>;
