/** The answers about one batch. The OpenAPI document is generated from these schemas, and tests check answers against them. */
import { z } from 'zod';
import { BATCH_STATES } from '../../batches/batch-row.ts';
import { FORMATS } from '../../contract/upload-kinds.ts';
import { noteSchema } from '../edge/notes.ts';
import { amount, COMPONENTS, count, pauseUntilSchema, time } from '../edge/schemas.ts';
import { batchReceiptSchema } from './view/receipt-view.ts';

const latency = z.object({ p50: count, p95: count, max: count }).nullable();
/** `opened` is the acceptance of the upload or redrive. */
const revisionTimes = z.object({
  opened: time,
  queued: time.nullable(),
  started: time.nullable(),
  completed: time.nullable(),
  deadline: time,
});
export const deadlineMetSchema = z
  .boolean()
  .nullable()
  .describe('Whether the first completion met the deadline; later redrives do not change it. null while undecided');

export const batchLinksSchema = z.object({
  self: z.string(),
  results: z.string(),
  report: z.string(),
  deadLetters: z.string(),
});

export const batchViewSchema = z
  .object({
    id: z.string(),
    workload: z.string(),
    version: count,
    lane: z.string(),
    pool: z.string(),
    state: z.enum(BATCH_STATES),
    producer: z
      .string()
      .optional()
      .describe(
        'The producer of the message of version 2 from which the batch was adopted. Absent for batches of clients and of the inbox',
      ),
    source: z.object({
      kind: z.enum(['http', 'inbox']),
      name: z.string(),
      file: z.string().optional().describe('Name of the uploaded file, as given by the client'),
      format: z.enum(FORMATS).optional().describe('The format of the upload'),
      csv: z
        .object({
          delimiter: z.string(),
          columns: count,
          cells: z
            .enum(['text', 'typed'])
            .describe('text: cells are not converted, because the schema provides no JSON Schema'),
        })
        .optional()
        .describe('How a CSV upload was interpreted'),
    }),
    labels: z.record(z.string(), z.string()).optional().describe('The labels that the client gave the batch'),
    counts: z.object({
      accepted: count,
      succeeded: count,
      dead: count,
      discarded: count.describe('Dead letters that an operator has discarded. They never run again'),
      cancelled: count,
      pending: count,
      retried: count,
      duplicatesSeen: count,
    }),
    chunks: z.object({ total: count, done: count }),
    times: revisionTimes
      .extend({ accepted: time.describe('Acceptance of the upload') })
      .describe('Times of the current revision, except for accepted'),
    deadline: z
      .object({
        at: time,
        met: deadlineMetSchema,
        atRiskAt: time
          .optional()
          .describe('When the current revision was first expected to miss its deadline. Absent if it was not'),
      })
      .describe('The deadline of the upload. Only atRiskAt is about the current revision, whose deadline is in times'),
    progress: z
      .object({
        chunks: count,
        items: count,
        ended: count.describe(
          'Items with a result or a dead letter. They are also in counts.pending until their chunk is finished',
        ),
        inFlight: count,
        failing: count.describe('Items with a failed attempt, and dead letters'),
        latestError: z.string().optional(),
        at: time.describe('The time of the latest count'),
      })
      .optional()
      .describe('Progress of the running chunks. Workers report chunks that have run for at least ten seconds'),
    ratePerSecond: amount
      .nullable()
      .describe(
        'Items per second of the current revision since it was queued, without the time that it was paused. null before it is queued and while it is blocked',
      ),
    estimate: z
      .object({ completesAt: time, basis: z.string().describe('The basis of the computation, as text') })
      .optional()
      .describe(
        'The expected end of the current revision. Only while it is queued or running and not blocked, and its rate is known',
      ),
    latencyMs: latency.describe('Time from the acceptance of the batch to the end of an item, in the first revision'),
    revision: count.describe('0 for the upload; each redrive opens the next'),
    revisions: z
      .array(
        revisionTimes.extend({
          revision: count,
          kind: z.enum(['upload', 'redrive', 'discard', 'report']).describe('What opened the revision'),
          reason: z.string().optional().describe('Why its items were discarded'),
          items: count,
          latencyMs: latency,
        }),
      )
      .describe('The upload and its redrives and discards: the 19 latest, followed by the current revision'),
    reportRevision: count.nullable(),
    blocked: z
      .object({
        queue: z.string().optional().describe('Absent if the workload of the batch is not deployed'),
        since: time.optional(),
        reason: z.string(),
      })
      .optional()
      .describe(
        'Why the work of an unfinished batch cannot continue: its workload is not deployed, or the first of its queues that is paused (by an operator or the circuit), has no share of the limits of its workload, or has a drain that cannot be started. Then rate and estimate are not known',
      ),
    waiting: z
      .object({
        queue: z.string(),
        batchesAhead: count.describe(
          'Open batches of the lane that were accepted or redriven earlier; at most 5,000 are counted',
        ),
        itemsAhead: count.describe('The accepted or redriven items of these batches'),
        nextAt: time
          .optional()
          .describe(
            'The time of the next probe of the circuit, of the end of a pause, or when the next delayed message becomes visible',
          ),
        reason: z.string().describe('Why no chunk of the batch runs, as text'),
      })
      .optional()
      .describe('Only while no item is known to have started, or no chunk of the batch runs'),
    paused: z
      .object({ by: z.enum(['operator', 'halt']), reason: z.string(), since: time, until: pauseUntilSchema })
      .optional()
      .describe('Why the batch is paused: by an operator, or by the option halt of its workload'),
    reportProblem: z.string().optional().describe('Why a finished batch has no report of its newest revision'),
    causes: z
      .record(z.string(), count)
      .optional()
      .describe('The most frequent causes of its current dead letters, each cut to 120 characters'),
    suspect: z
      .object({
        causes: z
          .array(
            z.object({
              cause: z.string(),
              count: count.describe(
                'Dead items with this cause, from the chunks that list it among their most frequent causes',
              ),
              example: z
                .object({ position: count.describe('0-based position in the batch'), message: z.string() })
                .optional()
                .describe('A dead item with this cause. Absent if it could not be read'),
            }),
          )
          .max(3)
          .describe('The most frequent causes of the current revision'),
        verdict: z.string().describe('What was found, as text'),
        hint: z.string().describe('What to check, as text'),
        command: z.string().describe('A command that shows how the file is interpreted and which items are invalid'),
      })
      .optional()
      .describe('Only in state suspect: why none of the first items is valid'),
    hint: z
      .string()
      .optional()
      .describe(
        'A possible cause of the dead letters: cells of a CSV upload stay text if the schema provides no types',
      ),
    notes: z
      .array(noteSchema)
      .describe('Why the batch waits or will probably be late, most important first; empty once it is finished'),
    receipt: batchReceiptSchema,
    links: batchLinksSchema.extend({
      logs: z.string().optional().describe('Its logs in the telemetry back end, if the address is configured'),
      trace: z.string().optional().describe('Its trace in the telemetry back end'),
    }),
  })
  .register(COMPONENTS, { id: 'Batch' });
export type BatchView = z.infer<typeof batchViewSchema>;

const chunkTotals = z.object({ chunks: count, items: count });

/** A batch during cancellation, and the effect of the request. */
export const cancelAnswerSchema = batchViewSchema.extend({
  cancellation: z.object({
    ended: chunkTotals.describe(
      'Pending chunks that this request has cancelled, and their items. The counters change when this is collected',
    ),
    left: chunkTotals.describe(
      'Other pending chunks and items. Workers stop running chunks, and workers or the sweep cancel waiting ones; for others, the result is about to be collected',
    ),
  }),
});
export type CancelAnswer = z.infer<typeof cancelAnswerSchema>;
