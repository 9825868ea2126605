/** What the routes of items answer with. */
import { z } from 'zod';
import { deadLetterSchema } from '../dead-letters/schemas.ts';
import { count, time } from '../edge/schemas.ts';
import { STEP_ENDS } from './item-trail.ts';

const position = count.describe('0-based position in the batch');

/** An item and what became of it. */
export const itemSchema = z.object({
  batch: z.string(),
  position,
  line: count.positive().nullable().describe('1-based line of the upload on which the item begins'),
  state: z.enum(STEP_ENDS).describe('How the last of the steps ended'),
  item: z.json().optional().describe('As it was uploaded; absent when the payload is gone'),
  steps: z
    .array(
      z.object({
        chunk: z.string(),
        revision: count,
        end: z.enum(STEP_ENDS),
        at: time.optional().describe('When the outcome of the chunk was recorded'),
        dueAt: time.optional().describe('When a pending retry may run'),
        attempts: count.optional().describe('Failed attempts so far; a dead letter has its last one, too'),
        error: z.string().optional().describe('The latest failure'),
      }),
    )
    .describe('The chunks that the item ran in: of the upload, of retries, of redrives'),
  result: z.json().optional().describe('What the handler returned'),
  deadLetter: deadLetterSchema.omit({ line: true, chunk: true, cause: true }).optional(),
});

/** Where items with an id are, as far as one request looks. */
export const foundItemsSchema = z.object({
  batch: z.string(),
  id: z.string(),
  positions: z.array(position).describe('Of the items with this id among those looked at'),
  lookedAt: z.object({ from: position, items: count }),
});
export type FoundItems = z.infer<typeof foundItemsSchema>;
