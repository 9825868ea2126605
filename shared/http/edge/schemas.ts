import { z } from 'zod';
import { MAX_PAUSE_SECONDS } from '../../pauses.ts';

/** Schemas with a name in the OpenAPI document. Other schemas refer to them. */
export const COMPONENTS = z.registry<{ id: string }>();

export const count = z.number().int().nonnegative();
export const time = z.string().describe('Time in UTC, ISO 8601');
export const amount = z.number().nonnegative();
export const usd = z.number().nonnegative();

/** A text in a request, of a length within these bounds. */
export const text = (min: number, max: number) => z.string().min(min).max(max);

/** A position in an upload, 1-based. */
export const uploadPosition = z.object({ line: count, column: count.optional(), message: z.string() });

/** A problem document (RFC 9457). `errors` contains positions in an upload. */
export const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    instance: z.string(),
    errors: z.array(uploadPosition).optional(),
  })
  .register(COMPONENTS, { id: 'Problem' });

/** Body of a request that pauses a queue or a batch. All fields are optional. */
export const pauseRequestSchema = z
  .strictObject({
    reason: text(1, 200)
      .optional()
      .describe('Shown with the paused queue or batch. Defaults to "paused by an operator"'),
    forSeconds: z
      .int()
      .min(1)
      .max(MAX_PAUSE_SECONDS)
      .optional()
      .describe('The pause ends by itself after this time. By default, somebody has to resume the queue or batch'),
    unlessPaused: z
      .boolean()
      .optional()
      .describe('true: the pause of an operator (or of a batch) for another reason stays as it is, for scripts'),
  })
  .register(COMPONENTS, { id: 'PauseRequest' });

/** Body of a request that ends a pause. Required, because the request must not end a pause that its author has not seen. */
export const resumeRequestSchema = z.strictObject({
  since: z
    .string({ error: 'expected the time in paused.since of the queue or batch: the pause that the request ends' })
    .describe('The pause that ends, by its time in paused.since. The request is refused if there is another pause now'),
});

export const pauseUntilSchema = time
  .optional()
  .describe('When the pause ends by itself. Absent: when somebody ends it');
