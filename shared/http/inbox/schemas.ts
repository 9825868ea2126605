import { z } from 'zod';
import { MAX_BLOB_NAME } from '../../contract/text/blob-name.ts';
import { COMPONENTS, count, text, time, uploadPosition } from '../edge/schemas.ts';

const reasonSchema = z.object({
  type: z.string().describe('Type of the problem, as for an upload over HTTP'),
  status: z.number().int(),
  title: z.string(),
  detail: z.string(),
  errors: z.array(uploadPosition).describe('Positions in the file, 1-based'),
});

export const inboxFileSchema = z
  .object({
    name: z
      .string()
      .describe(
        'Path in the container, such as billing/usage.csv. A file that waits for its import has the suffix .url',
      ),
    workload: z.string().nullable().describe('The workload in the path; null if it is unknown'),
    lane: z.string().nullable().describe('The lane in the path; null if there is none'),
    state: z
      .enum(['waiting', 'taking', 'rejected', 'done'])
      .describe('`done`, which means that the file became a batch, appears only in a request by name'),
    bytes: count.describe('Size as stored'),
    importedFrom: z.string().optional().describe('The URL from which the file is imported, without its query'),
    since: time.describe('When the file entered this state'),
    readBytes: count.optional().describe('Bytes of a file in process that were read up to its latest checkpoint'),
    readItems: count.optional(),
    reason: reasonSchema.optional().describe('Why the file was rejected. Absent if the reason was deleted'),
    batch: z.string().optional().describe('The id of the batch that the file became'),
    notes: z.array(z.string()).describe('How far the file is read, or why it was rejected, as texts'),
  })
  .register(COMPONENTS, { id: 'InboxFile' });
export type InboxFileView = z.infer<typeof inboxFileSchema>;

export const inboxListSchema = z.object({ files: z.array(inboxFileSchema) }).register(COMPONENTS, { id: 'InboxList' });
export type InboxList = z.infer<typeof inboxListSchema>;

export const inboxRetrySchema = z.strictObject({
  name: text(1, MAX_BLOB_NAME).describe('Name of the rejected file, as in the listing'),
});

export const importRequestSchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .describe(
        'The URL of a blob in the storage account of the app, without a query, in a container that the workload declares',
      ),
    lane: z.string().max(63).optional().describe('Priority class. Chosen by the workload by default'),
    fileName: text(1, 255)
      .optional()
      .describe('Defaults to the last segment of the url. Its ending determines the format'),
    labels: z.record(z.string(), z.string()).optional().describe('Labels of the batch'),
    csv: z
      .strictObject({
        delimiter: z.string().optional(),
        decimal: z.string().optional(),
        charset: z.string().optional(),
        rename: z
          .record(z.string(), z.string())
          .optional()
          .describe('New names of columns by their names in the header'),
      })
      .optional()
      .describe('The format of a CSV file, as in the query of an upload'),
  })
  .register(COMPONENTS, { id: 'ImportRequest' });
export type ImportRequest = z.infer<typeof importRequestSchema>;

export const importAnswerSchema = z
  .object({
    inbox: z.object({ name: z.string().describe('The future name of the file in the inbox') }),
    links: z.object({ self: z.string().describe('URL of the file, with its state or the batch that it became') }),
  })
  .register(COMPONENTS, { id: 'ImportAnswer' });
export type ImportAnswer = z.infer<typeof importAnswerSchema>;
