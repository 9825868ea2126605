import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { runWorkload } from '../../../shared/kit/run-workload.ts';
import type { ImageRow } from '../../../workloads/media/make-thumbnails.ts';
import media from '../../../workloads/media.ts';

const draw = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 200, g: 80, b: 40 } } });
const images = {
  'trip/beach.jpg': await draw(800, 400).jpeg().toBuffer(),
  // Orientation 6: must be rotated by 90 degrees.
  'trip/tower.jpg': await draw(400, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
  'icon.png': await draw(64, 64).png().toBuffer(),
  'cut.png': (await draw(600, 600).png().toBuffer()).subarray(0, 120),
  'drawing.svg': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
  'note.txt': Buffer.from('not an image'),
};
const run = (...items: object[]) => runWorkload(media, items, { blobs: { images } });

describe('an image', () => {
  it('is converted to thumbnails of the requested widths, and a row that lists them', async () => {
    const { results, blobs } = await run({ source: 'trip/beach.jpg', widths: [320, 80] });
    const [row] = results as ImageRow[];
    expect(row).toMatchObject({ source: 'trip/beach.jpg', format: 'jpeg', width: 800, height: 400 });
    expect(row?.bytes).toBe(images['trip/beach.jpg'].length);
    expect(row?.thumbnails.map(({ name, width, height }) => [name, width, height])).toEqual([
      ['trip/beach.jpg/320.webp', 320, 160],
      ['trip/beach.jpg/80.webp', 80, 40],
    ]);
    for (const { name, width, bytes } of row?.thumbnails ?? []) {
      const stored = blobs.thumbnails?.[name];
      expect(stored).toHaveLength(bytes);
      await expect(sharp(stored).metadata()).resolves.toMatchObject({ format: 'webp', width });
    }
  });

  it('is rotated by its orientation, and never enlarged', async () => {
    const { results } = await run({ source: 'trip/tower.jpg', widths: [100] }, { source: 'icon.png', widths: [160] });
    const [tower, icon] = results as ImageRow[];
    expect([tower?.width, tower?.height]).toEqual([200, 400]);
    expect(tower?.thumbnails[0]).toMatchObject({ width: 100, height: 200 });
    expect(icon?.thumbnails[0]).toMatchObject({ name: 'icon.png/160.webp', width: 64, height: 64 });
  });

  it('results in the same blobs when it is handled twice', async () => {
    const item = { source: 'trip/beach.jpg' };
    const [once, twice] = [await run(item), await run(item, item)];
    expect(twice.blobs).toEqual(once.blobs);
    expect(Object.keys(once.blobs.thumbnails ?? {})).toHaveLength(3);
  });

  it.each([
    ['gone.jpg', 'There is no blob "gone.jpg" in container "images".'],
    ['note.txt', 'The image cannot be read: Input buffer contains unsupported image format'],
    ['drawing.svg', 'The image cannot be read: Input buffer contains unsupported image format'],
    ['cut.png', 'The image cannot be read: '],
  ])('is rejected without a retry: %s', async (source, message) => {
    const { deadLetters } = await run({ source });
    expect(deadLetters).toMatchObject([{ reason: 'rejected', attempts: [{}] }]);
    expect(deadLetters[0]?.error.message).toContain(message);
  });
});

describe('a batch of images', () => {
  it('results in totals per format', async () => {
    const sources = ['trip/beach.jpg', 'icon.png', 'trip/tower.jpg', 'gone.jpg'];
    const { report } = await run(...sources.map((source) => ({ source, widths: [50] })));
    const bytes = images['trip/beach.jpg'].length + images['trip/tower.jpg'].length;
    expect(report).toMatchObject({
      jpeg: { images: 2, thumbnails: 2, imageBytes: bytes },
      png: { images: 1, thumbnails: 1 },
    });
  });

  it('is cut into small chunks, and runs in a separate pool', async () => {
    const { chunks } = await run(...Array.from({ length: 17 }, () => ({ source: 'icon.png', widths: [16] })));
    expect(chunks).toBe(3);
    expect(media.pool).toBe('media');
  });
});
