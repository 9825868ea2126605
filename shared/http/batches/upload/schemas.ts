import { z } from 'zod';
import { DELIMITERS, ENCODINGS, FORMATS } from '../../../contract/upload-kinds.ts';
import { CHARSETS } from '../../../intake/parse/csv-options.ts';
import { COMPONENTS, count, uploadPosition, usd } from '../../edge/schemas.ts';

/** The interpretation of the beginning of an upload, and how well it matches the schema (`UploadCheck` of intake). */
export const uploadCheckSchema = z
  .object({
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
              name: z.string().describe('Path in the item, separated by dots'),
              type: z
                .enum(['text', 'number', 'integer', 'boolean'])
                .describe('The type to which its cells are converted'),
            }),
          )
          .readonly(),
      })
      .optional()
      .describe('How the CSV upload is interpreted'),
    items: count.describe('Items read and validated'),
    bytes: count.describe('Bytes of the body that were read, as received'),
    whole: z.boolean().describe('Whether this is the whole upload'),
    valid: count,
    invalid: count,
    causes: z.array(
      z.object({
        cause: z.string().describe('The cause, as for the groups of dead letters'),
        count,
        examples: z.array(uploadPosition.extend({ path: z.string().optional() })).max(3),
      }),
    ),
    fault: uploadPosition.optional().describe('Why the upload would be refused. It cannot be read any further'),
    estimate: z
      .object({
        ...{ items: count, chunks: count, lane: z.string(), operations: count, usd, sheet: z.string() },
        currency: z.string(),
        unverified: z.array(z.string()),
      })
      .optional()
      .describe(
        'Estimate for the whole upload, in proportion to the bytes read, with a handler time of secondsPerChunk',
      ),
  })
  .register(COMPONENTS, { id: 'UploadCheck' });
export type UploadCheckView = z.infer<typeof uploadCheckSchema>;
