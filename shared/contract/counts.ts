import { z } from 'zod';

const count = z.number().int().nonnegative();

/**
 * What became of a chunk's items: items = succeeded + dead + cancelled + retried; `retried` items live on in follow-up chunks
 * (the retries frame, or the parts of a split).
 */
export const countsSchema = z.object({
  items: count,
  succeeded: count,
  dead: count,
  cancelled: count,
  retried: count,
});
export type Counts = z.infer<typeof countsSchema>;
