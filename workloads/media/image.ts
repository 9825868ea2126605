import { z } from 'zod';

/** Widths in pixels of the thumbnails of an item that specifies none. */
const WIDTHS = [160, 320, 640];

/** An image that needs thumbnails. `source` is its blob in the container `images`. */
export const image = z.object({
  source: z.string().min(1).max(512),
  widths: z.array(z.int().min(16).max(4_096)).min(1).max(8).default(WIDTHS),
});

/** An item that has passed the schema. */
export type Image = z.infer<typeof image>;
