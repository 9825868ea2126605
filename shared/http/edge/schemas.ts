/** Schemas that the answers of several resources use. */
import { z } from 'zod';

export const count = z.number().int().nonnegative();
export const time = z.string().describe('Time in UTC, ISO 8601');
export const usd = z.number().nonnegative();

/** A position in an upload, 1-based. */
export const uploadPosition = z.object({ line: count, column: count.optional(), message: z.string() });

/** A problem document (RFC 9457). `errors` contains positions in an upload. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  instance: z.string(),
  errors: z.array(uploadPosition).optional(),
});

/** Body of a request that pauses a queue or a batch. All fields are optional. */
export const pauseRequestSchema = z.strictObject({
  reason: z.string().min(1).max(200).default('paused by an operator').describe('Shown with the paused queue or batch'),
});
