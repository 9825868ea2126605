/** What the routes of the inbox take and answer with. */
import { z } from 'zod';
import { MAX_BLOB_NAME } from '../../contract/text/blob-name.ts';
import { count, time, uploadPosition } from '../edge/schemas.ts';

const reasonSchema = z.object({
  type: z.string().describe('Type of the problem, as an upload over HTTP would have got it'),
  status: z.number().int(),
  title: z.string(),
  detail: z.string(),
  errors: z.array(uploadPosition).describe('Places in the file, 1-based'),
});

/** A file of the inbox. */
export const inboxFileSchema = z.object({
  name: z
    .string()
    .describe(
      'Path in the container, such as billing/usage.csv; of one that is still to be imported, with .url behind it',
    ),
  workload: z.string().nullable().describe('That the path names; null if it names none that is known'),
  lane: z.string().nullable().describe('That the path names; null if it names none'),
  state: z
    .enum(['waiting', 'taking', 'rejected', 'done'])
    .describe('`done` only where one file is asked for by name: it became a batch'),
  bytes: count.describe('Size as it is stored'),
  importedFrom: z.string().optional().describe('Address that it is imported from, without its query'),
  since: time.describe('When it entered this state'),
  readBytes: count.optional().describe('Of a file that is being taken, as of its latest checkpoint'),
  readItems: count.optional(),
  reason: reasonSchema.optional().describe('Why it was rejected; absent if the reason was removed'),
  batch: z.string().optional().describe('That it became'),
});
export type InboxFileView = z.infer<typeof inboxFileSchema>;

export const inboxListSchema = z.object({ files: z.array(inboxFileSchema) });
export type InboxList = z.infer<typeof inboxListSchema>;

/** Body of a retry. */
export const inboxRetrySchema = z.strictObject({
  name: z.string().min(1).max(MAX_BLOB_NAME).describe('Name of the rejected file, as the listing has it'),
});

/** Body of an import. */
export const importRequestSchema = z.strictObject({
  url: z.string().min(1).describe('https, of a host that the app allows, or a blob of its own storage account'),
  lane: z.string().max(63).optional().describe('Priority class; default as the workload decides'),
  fileName: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Default the last segment of the url; its ending says the format'),
  labels: z.record(z.string(), z.string()).optional().describe('Kept with the batch'),
  csv: z
    .strictObject({
      delimiter: z.string().optional(),
      decimal: z.string().optional(),
      charset: z.string().optional(),
      rename: z.record(z.string(), z.string()).optional().describe('Names of columns by what the header calls them'),
    })
    .optional()
    .describe('How a CSV file is written, as in the query of an upload'),
});
export type ImportRequest = z.infer<typeof importRequestSchema>;

export const importAnswerSchema = z.object({
  inbox: z.object({ name: z.string().describe('Name that the file will have in the inbox') }),
  links: z.object({ self: z.string().describe('The file: waiting, taking, rejected, or the batch that it became') }),
});
export type ImportAnswer = z.infer<typeof importAnswerSchema>;
