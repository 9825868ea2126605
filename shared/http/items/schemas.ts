/** What the routes of items answer with. */
import { z } from 'zod';
import { deadLetterSchema } from '../dead-letters/schemas.ts';
import { count, time } from '../edge/schemas.ts';
import { STEP_ENDS } from './walk-items.ts';

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
        reason: z.string().optional().describe('Why the item was discarded'),
      }),
    )
    .describe('The chunks that the item ran in: of the upload, of retries, of redrives; and those of discards'),
  result: z.json().optional().describe('What the handler returned'),
  deadLetter: deadLetterSchema.omit({ line: true, chunk: true, cause: true }).optional(),
});

/**
 * What became of an item so far. `unknown`: its chunk was cancelled in the middle, and the results do not name their
 * items.
 */
export const ITEM_STATES = ['pending', 'succeeded', 'dead', 'discarded', 'cancelled', 'unknown'] as const;
export type ItemState = (typeof ITEM_STATES)[number];

/** Items of a batch with their states. */
export const itemListSchema = z.object({
  batch: z.string(),
  items: z.array(
    z.object({
      position,
      id: z.string().optional().describe('Where the workload has the option `id`'),
      state: z.enum(ITEM_STATES).describe('An item that is running, or waits for a retry, is pending'),
      attempts: count.optional().describe('Failed attempts so far; absent where the outcome does not record it'),
      error: z.string().optional().describe('The latest failure of an item that is dead, or waits for a retry'),
      reason: z.string().optional().describe('Why an item was discarded'),
      result: z.json().optional().describe('What the handler returned; with `results`'),
    }),
  ),
});
export type ItemList = z.infer<typeof itemListSchema>;

/** Where items with an id are, as far as one request looks. */
export const foundItemsSchema = z.object({
  batch: z.string(),
  id: z.string(),
  positions: z.array(position).describe('Of the items with this id among those looked at'),
  lookedAt: z.object({ from: position, items: count }),
});
export type FoundItems = z.infer<typeof foundItemsSchema>;
