import { z } from 'zod';
import { reportHeaderSchema } from '../../../results/read-report.ts';
import { COMPONENTS, count } from '../../edge/schemas.ts';

const framePlace = z.object({ offset: count, length: count, bytes: count, items: count, digest: z.string() });

/** The positions of the results of a batch: each is a zstd frame of NDJSON in a blob of `container`. */
export const resultsManifestSchema = z
  .object({
    batch: z.string(),
    container: z.string(),
    blobs: z.array(framePlace.extend({ chunk: z.string(), blob: z.string() })),
  })
  .register(COMPONENTS, { id: 'ResultsManifest' });
export type ResultsManifest = z.infer<typeof resultsManifestSchema>;

/** One line of a report. */
export const reportLineSchema = z.object({ key: z.string(), value: z.unknown() });

/** A report as one JSON document. */
export const reportSchema = reportHeaderSchema
  .extend({ items: z.array(reportLineSchema) })
  .register(COMPONENTS, { id: 'Report' });
