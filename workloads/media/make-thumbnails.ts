import type { ItemContext } from 'sluice';
import { Reject } from 'sluice';
import type { Image } from './image.ts';
import { type Decoded, decode, resize } from './pixels.ts';

/** A stored thumbnail. */
export interface Thumbnail {
  /** Its blob in the container `thumbnails`. */
  name: string;
  width: number;
  height: number;
  bytes: number;
}

/** An image and its thumbnails: one result of a batch, a row of a table. */
export interface ImageRow {
  source: string;
  format: string;
  /** As displayed: rotated by its EXIF orientation. */
  width: number;
  height: number;
  bytes: number;
  thumbnails: Thumbnail[];
}

/**
 * Creates and stores the thumbnails of one image. Their names depend only on the item, so a repeat writes the same
 * blobs.
 * @throws Reject if the image does not exist or cannot be read
 */
export async function makeThumbnails({ source, widths }: Image, context: ItemContext): Promise<ImageRow> {
  const bytes = await context.container('images').read(source);
  if (bytes === undefined) throw new Reject(`There is no blob "${source}" in container "images".`);
  const decoded = await decode(bytes);
  const thumbnails: Thumbnail[] = [];
  // One after the other: a thread has one core, and keeps the pixels of only one thumbnail in memory.
  for (const width of new Set(widths)) thumbnails.push(await store(source, width, decoded, context));
  const { format, width, height } = decoded;
  return { source, format, width, height, bytes: bytes.length, thumbnails };
}

async function store(source: string, wanted: number, decoded: Decoded, context: ItemContext): Promise<Thumbnail> {
  // The name keeps the extension of the source: a.jpg and a.png are two images.
  const name = `${source}/${wanted}.webp`;
  const { data, width, height } = await resize(decoded, wanted);
  await context.container('thumbnails').write(name, data, { contentType: 'image/webp' });
  return { name, width, height, bytes: data.length };
}
