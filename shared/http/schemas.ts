/** What every client route answers with. The OpenAPI document is made from these, and tests check answers against them. */
import { z } from 'zod';
import { reportHeaderSchema } from '../results/read-report.ts';

const count = z.number().int().nonnegative();
const time = z.string().describe('Time in UTC, ISO 8601');

/** A problem document (RFC 9457). `errors` are places in an upload, 1-based. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  instance: z.string(),
  errors: z.array(z.object({ line: count, column: count, message: z.string() })).optional(),
});

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

export { type QueueView, queueListSchema, queueViewSchema } from './operator-schemas.ts';
export { count as countSchema, time as timeSchema };
