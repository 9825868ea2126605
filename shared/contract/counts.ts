import { z } from 'zod';

const count = z.number().int().nonnegative();

/**
 * The results of a chunk's items: items = succeeded + dead + discarded + cancelled + retried. `retried` items continue in
 * follow-up chunks (the retries frame, or the parts of a split). `discarded` counts dead letters of earlier chunks that an
 * operator has discarded; absent means none.
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
