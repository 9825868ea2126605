import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { Reject } from 'sluice';

/** An image whose header was read; `width` and `height` as displayed. */
export interface Decoded {
  format: string;
  width: number;
  height: number;
  /** Creates a pipeline that begins with the image's pixels. */
  pixels: () => Sharp;
}

/**
 * A photograph of 100 megapixels uses 300 MB while it is resized; a decompression bomb of a few kilobytes can declare
 * far more.
 */
const MAX_PIXELS = 100_000_000;
const WEBP_QUALITY = 80;

type MakeSharp = (input: Buffer, options: SharpOptions) => Sharp;
let loading: Promise<MakeSharp> | undefined;

/** Loads sharp with the first image, not with the app: it is native, large, and of no use to other workloads. */
const load = (): Promise<MakeSharp> => {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // A thread has one core: more threads of libvips, or a cache for images that are not read again, would only cost.
    sharp.concurrency(1);
    sharp.cache(false);
    // These formats are programs rather than pictures: photographs do not use them, and their readers use more than
    // pixels.
    sharp.block({ operation: ['VipsForeignLoadSvg', 'VipsForeignLoadPdf', 'VipsForeignLoadMagick'] });
    return sharp;
  });
  return loading;
};

/**
 * Reads an image's header.
 * @throws Reject for bytes that are not an image, or an image with too many pixels
 */
export async function decode(bytes: Buffer): Promise<Decoded> {
  const sharp = await load();
  const pixels = (): Sharp => sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'error' }).autoOrient();
  const { format, autoOrient } = await rejecting<Metadata>(pixels().metadata());
  return { format, width: autoOrient.width, height: autoOrient.height, pixels };
}

/**
 * Creates a smaller copy as WebP with proportional height, never larger than the original.
 * @throws Reject for corrupt pixels
 */
export async function resize(
  { pixels }: Decoded,
  width: number,
): Promise<{ data: Buffer; width: number; height: number }> {
  const small = pixels().resize({ width, withoutEnlargement: true }).webp({ quality: WEBP_QUALITY });
  const { data, info } = await rejecting(small.toBuffer({ resolveWithObject: true }));
  return { data, width: info.width, height: info.height };
}

/**
 * Converts errors of sharp to Reject: an image that sharp refuses once it always refuses, and no service is involved.
 */
async function rejecting<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    const [line] = String(cause instanceof Error ? cause.message : cause).split('\n');
    throw new Reject(`The image cannot be read: ${line}`, { cause });
  }
}
