import { z } from 'zod';
import { deadLetterSchema } from '../dead-letters/schemas.ts';
import { count, time } from '../edge/schemas.ts';

/**
 * The current state of an item. `unknown`: its chunk was cancelled midway, and the results do not contain the positions of
 * their items.
 */
export const ITEM_STATES = ['pending', 'succeeded', 'dead', 'discarded', 'cancelled', 'unknown'] as const;
export type ItemState = (typeof ITEM_STATES)[number];
/** How a chunk ended for an item. */
const STEP_ENDS = [...ITEM_STATES, 'split', 'retried'] as const;

const position = count.describe('0-based position in the batch');

/** One chunk in which the item ran. */
const stepSchema = z.object({
  chunk: z.string(),
  revision: count,
  end: z.enum(STEP_ENDS),
  at: time.optional().describe('When the outcome of the chunk was recorded'),
  dueAt: time.optional().describe('When a pending retry may run'),
  attempts: count.optional().describe('Failed attempts so far. For a dead letter, this includes the last one'),
  error: z.string().optional().describe('The latest failure'),
  reason: z.string().optional().describe('Why the item was discarded'),
});
export type Step = z.infer<typeof stepSchema>;

export const itemSchema = z.object({
  batch: z.string(),
  position,
  line: count.positive().nullable().describe('1-based line of the upload on which the item begins'),
  state: z.enum(STEP_ENDS).describe('How the last of the steps ended'),
  item: z.json().optional().describe('The item as uploaded. Absent if the payload was deleted'),
  steps: z
    .array(stepSchema)
    .describe('The chunks in which the item ran: of the upload, of retries, of redrives; also those of discards'),
  result: z.json().optional().describe('The value that the handler returned'),
  deadLetter: deadLetterSchema.omit({ line: true, chunk: true, cause: true }).optional(),
});

export const itemListSchema = z.object({
  batch: z.string(),
  items: z.array(
    z.object({
      position,
      id: z.string().optional().describe('Only if the workload has the option `id`'),
      state: z.enum(ITEM_STATES).describe('An item that is running or waits for a retry is pending'),
      attempts: count.optional().describe('Failed attempts so far. Absent if the outcome does not contain it'),
      error: z.string().optional().describe('The latest failure of an item that is dead or waits for a retry'),
      reason: z.string().optional().describe('Why an item was discarded'),
      result: z.json().optional().describe('The value that the handler returned. Only with `results`'),
    }),
  ),
});
export type ItemList = z.infer<typeof itemListSchema>;

/** The positions of items with an id, within the part of the upload that one request reads. */
export const foundItemsSchema = z.object({
  batch: z.string(),
  id: z.string(),
  positions: z.array(position).describe('Positions of the items with this id, among those that were read'),
  scanned: z.object({ from: position, items: count }),
});
export type FoundItems = z.infer<typeof foundItemsSchema>;
