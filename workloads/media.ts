import { defineWorkload } from 'sluice';
import { image } from './media/image.ts';
import { makeThumbnails } from './media/make-thumbnails.ts';
import { addImage, formatOf, mergeTotals, noTotals } from './media/totals.ts';

/** Images in the container `images` → thumbnails in the container `thumbnails` → totals per format. */
export default defineWorkload({
  name: 'media',
  version: 1,
  item: image,
  map: makeThumbnails,
  reduce: { key: formatOf, init: noTotals, add: addImage, merge: mergeTotals },
  // An image takes a hundred thousand times as long as a line of an invoice. With few images per chunk, the first
  // results come soon, a large batch spreads over all instances, and a lost instance repeats little.
  chunk: { maxItems: 8 },
  secondsPerChunk: 2,
  lanes: ['normal', 'bulk'],
  lane: (batch) => (batch.items > 200 ? 'bulk' : 'normal'),
  // A pool for work that keeps cores busy for minutes, so that it does not delay other workloads.
  pool: 'media',
  containers: ['images', 'thumbnails'],
  deadlineSeconds: 900,
  // The name by which the uploader refers to an image: sluice find, sluice items, GET batches/{id}/items.
  id: ({ source }) => source,
});
