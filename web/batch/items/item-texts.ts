import { formatBytes, formatCount } from '../../format.ts';

const MAX_TEXT = 160;

/** Returns a result on one line; empty if there is none. */
export function resultText(result: unknown): string {
  if (result === undefined) return '';
  const text = JSON.stringify(result);
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)} …`;
}

/** An image with its thumbnails, as the workload `media` returns it. */
export interface Picture {
  source: string;
  format: string;
  width: number;
  height: number;
  bytes: number;
  thumbnails: readonly Thumbnail[];
}

interface Thumbnail {
  name: string;
  width: number;
  height: number;
  bytes: number;
}

/**
 * Returns a result as an image with thumbnails; undefined for any other shape, for example of another workload version.
 */
export function pictureOf(result: unknown): Picture | undefined {
  const picture = result as Partial<Picture> | null | undefined;
  const isWhole =
    typeof picture?.source === 'string' &&
    isSized(picture) &&
    Array.isArray(picture.thumbnails) &&
    picture.thumbnails.every((each) => typeof (each as Partial<Thumbnail> | null)?.name === 'string' && isSized(each));
  return isWhole ? (picture as Picture) : undefined;
}

const isSized = (of: Partial<Thumbnail> | null): boolean =>
  [of?.width, of?.height, of?.bytes].every((value) => typeof value === 'number');

/** "640 × 427, 31 kB" */
export const sizeText = ({ width, height, bytes }: Omit<Thumbnail, 'name'>): string =>
  `${formatCount(width)} × ${formatCount(height)}, ${formatBytes(bytes)}`;
