import type { ImageRow } from './make-thumbnails.ts';

/** The totals of the images of one format: a row of the report. Sizes in bytes. */
export interface MediaTotals {
  images: number;
  imageBytes: number;
  thumbnails: number;
  thumbnailBytes: number;
}

/** Returns the format of the original, such as `jpeg`. */
export const formatOf = ({ format }: ImageRow): string => format;

export const noTotals = (): MediaTotals => ({ images: 0, imageBytes: 0, thumbnails: 0, thumbnailBytes: 0 });

/** Adds an image. All numbers are whole, so their sums do not depend on the order of chunks. */
export const addImage = (totals: MediaTotals, { bytes, thumbnails }: ImageRow): MediaTotals =>
  mergeTotals(totals, {
    images: 1,
    imageBytes: bytes,
    thumbnails: thumbnails.length,
    thumbnailBytes: thumbnails.reduce((sum, thumbnail) => sum + thumbnail.bytes, 0),
  });

/** Returns the totals of two sets of images. */
export const mergeTotals = (a: MediaTotals, b: MediaTotals): MediaTotals => ({
  images: a.images + b.images,
  imageBytes: a.imageBytes + b.imageBytes,
  thumbnails: a.thumbnails + b.thumbnails,
  thumbnailBytes: a.thumbnailBytes + b.thumbnailBytes,
});
