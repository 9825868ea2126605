import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { Reject } from '../../shared/workload/errors.ts';

/** An image whose header has been read; `width` and `height` as it is looked at. */
export interface Decoded {
  format: string;
  width: number;
  height: number;
  /** A pipeline that begins with the image's pixels. */
  pixels: () => Sharp;
}

/** A photograph of 100 megapixels takes 300 MB while it is resized; a bomb of a few kilobytes can claim far more. */
const MAX_PIXELS = 100_000_000;
const WEBP_QUALITY = 80;

type MakeSharp = (input: Buffer, options: SharpOptions) => Sharp;
let loading: Promise<MakeSharp> | undefined;

/** Loaded by the first image, not with the app: it is native, large, and of no use to other workloads. */
const load = (): Promise<MakeSharp> => {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // A thread has one core's work: more of libvips' own threads, or a cache for images that never come again, cost only.
    sharp.concurrency(1);
    sharp.cache(false);
    // Programs rather than pictures: nobody uploads photographs in them, and their readers take more than pixels.
    sharp.block({ operation: ['VipsForeignLoadSvg', 'VipsForeignLoadPdf', 'VipsForeignLoadMagick'] });
    return sharp;
  });
  return loading;
};

/** Reads an image's header. Throws Reject for what is no image, or one of too many pixels. */
export async function decode(bytes: Buffer): Promise<Decoded> {
  const sharp = await load();
  const pixels = (): Sharp => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient();
  const { format, autoOrient } = await rejecting<Metadata>(pixels().metadata());
  return { format, width: autoOrient.width, height: autoOrient.height, pixels };
}

/** A smaller copy as WebP, its height in proportion; never larger than the original. Throws Reject for broken pixels. */
export async function resize(
  { pixels }: Decoded,
  width: number,
): Promise<{ data: Buffer; width: number; height: number }> {
  const small = pixels().resize({ width, withoutEnlargement: true }).webp({ quality: WEBP_QUALITY });
  const { data, info } = await rejecting(small.toBuffer({ resolveWithObject: true }));
  return { data, width: info.width, height: info.height };
}

/** What sharp refuses it refuses each time: the bytes are there, no service is called. */
async function rejecting<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const [line] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new Reject(`The image cannot be read: ${line}`, { cause });
  }
}
