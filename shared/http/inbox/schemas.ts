/** What the routes of the inbox take and answer with. */
import { z } from 'zod';
import { MAX_BLOB_NAME } from '../../contract/blob-name.ts';
import { count, time } from '../edge/schemas.ts';

const reasonSchema = z.object({
  type: z.string().describe('Type of the problem, as an upload over HTTP would have got it'),
  status: z.number().int(),
  title: z.string(),
  detail: z.string(),
  errors: z
    .array(z.object({ line: count, column: count, message: z.string() }))
    .describe('Places in the file, 1-based'),
});

/** A file of the inbox. */
export const inboxFileSchema = z.object({
  name: z.string().describe('Path in the container, such as billing/usage.csv'),
  workload: z.string().nullable().describe('That the path names; null if it names none that is known'),
  lane: z.string().nullable().describe('That the path names; null if it names none'),
  state: z
    .enum(['waiting', 'taking', 'rejected', 'done'])
    .describe('`done` only where one file is asked for by name: it became a batch'),
  bytes: count.describe('Size as it is stored'),
  since: time.describe('When it came to be in this state'),
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
