/** The data of `npm start -- --workload media`: images drawn into the container, and an upload that lists them. */

import { writeFile } from 'node:fs/promises';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { createRandom, pick } from 'functions-local';
import sharp from 'sharp';
import type { Answered } from '../../local/batch/submission.ts';

/** The images to draw. The same seed results in the same pictures. */
export interface ImagesOptions {
  items: number;
  seed: number;
  /** Connection string of the account with the containers. */
  storage: string;
}

const FORMATS = ['jpeg', 'png', 'webp'] as const;
const WIDTHS = [160, 320, 640];
/** Images that are drawn and stored at the same time: libvips works in parallel, in its own threads. */
const AT_ONCE = 4;
/** One item in 40 refers to an image that does not exist, another one to a file that is not an image. */
const BAD_EVERY = 40;

interface Picture {
  source: string;
  /** Undefined for an invalid image. */
  format: string | undefined;
  bytes: number;
}

/**
 * Draws `items` images into the container `images` and writes the upload to `file`. Returns a function that compares
 * the batch with the drawn images and describes every difference.
 */
export async function writeImages(
  file: string,
  { items, seed, storage }: ImagesOptions,
): Promise<(answered: Answered) => Promise<string[]>> {
  const blobs = BlobServiceClient.fromConnectionString(storage);
  const random = createRandom(seed);
  const pictures: Picture[] = [];
  for (let start = 0; start < items; start += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, items - start) }, (_, offset) =>
      putPicture(blobs.getContainerClient('images'), start + offset, random),
    );
    pictures.push(...(await Promise.all(some)));
  }
  await writeFile(file, pictures.map(({ source }) => `${JSON.stringify({ source, widths: WIDTHS })}\n`).join(''));
  return (answered) => compare(answered, pictures, blobs.getContainerClient('thumbnails'));
}

async function putPicture(images: ContainerClient, index: number, random: () => number): Promise<Picture> {
  const format = pick(FORMATS, random());
  const source = `demo/${String(index + 1).padStart(5, '0')}.${format}`;
  const svg = draw(index, random);
  if (index % BAD_EVERY === 17) return { source: `${source}.gone`, format: undefined, bytes: 0 };
  const isBroken = index % BAD_EVERY === 29;
  const bytes = isBroken ? Buffer.from('no image') : await sharp(Buffer.from(svg)).toFormat(format).toBuffer();
  await images.getBlockBlobClient(source).upload(bytes, bytes.length);
  return { source, format: isBroken ? undefined : format, bytes: bytes.length };
}

/** A gradient with discs: it compresses about as well as a photograph. */
function draw(index: number, random: () => number): string {
  const [width, height] = [640 + Math.floor(random() * 1_000), 480 + Math.floor(random() * 700)];
  const colour = (): string => `hsl(${Math.floor(random() * 360)} 70% 55%)`;
  const discs = Array.from({ length: 12 }, () => {
    const [x, y, r] = [random() * width, random() * height, 20 + random() * 160];
    return `<circle cx="${x}" cy="${y}" r="${r}" fill="${colour()}" opacity="0.6"/>`;
  });
  const stops = `<stop offset="0" stop-color="${colour()}"/><stop offset="1" stop-color="${colour()}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<defs><linearGradient id="g" x2="1" y2="1">${stops}</linearGradient></defs>
<rect width="100%" height="100%" fill="url(#g)"/>${discs.join('')}
<text x="24" y="72" font-size="48" fill="#fff">${index + 1}</text></svg>`;
}

async function compare({ counts, report }: Answered, pictures: Picture[], thumbnails: ContainerClient) {
  const good = pictures.filter(({ format }) => format !== undefined);
  const found: string[] = [];
  const expect = (what: string, want: unknown, got: unknown): void => {
    if (want !== got) found.push(`${what}: expected ${want}, got ${got}`);
  };
  expect('succeeded', good.length, counts.succeeded);
  expect('dead', pictures.length - good.length, counts.dead);
  for (const format of FORMATS) {
    const own = good.filter((picture) => picture.format === format);
    const value = (report.find(({ key }) => key === format)?.value ?? {}) as Record<string, unknown>;
    expect(`${format} images`, own.length, value.images ?? 0);
    const bytes = own.reduce((sum, picture) => sum + picture.bytes, 0);
    expect(`${format} bytes`, bytes, value.imageBytes ?? 0);
  }
  expect('thumbnails', good.length * WIDTHS.length, await countBlobs(thumbnails, pictures));
  return found;
}

async function countBlobs(container: ContainerClient, pictures: Picture[]): Promise<number> {
  const sources = new Set(pictures.map(({ source }) => source));
  let count = 0;
  for await (const { name } of container.listBlobsFlat({ prefix: 'demo/' })) {
    if (sources.has(name.slice(0, name.lastIndexOf('/')))) count += 1;
  }
  return count;
}
