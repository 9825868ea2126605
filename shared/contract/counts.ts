import { z } from 'zod';

const count = z.number().int().nonnegative();

/**
 * What became of a chunk's items: items = succeeded + dead + discarded + cancelled + retried; `retried` items live on in
 * follow-up chunks (the retries frame, or the parts of a split). `discarded` are dead letters of earlier chunks that an
 * operator has discarded; absent: none.
 */
export const countsSchema = z.object({
  items: count,
  succeeded: count,
  dead: count,
  discarded: count.optional(),
  cancelled: count,
  retried: count,
});
export type Counts = z.infer<typeof countsSchema>;
