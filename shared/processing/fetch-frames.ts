import type { ContainerClient } from '@azure/storage-blob';
import type { Reference } from '../contract/reference.ts';
import { statusOf, toError } from '../errors.ts';
import { downloadBytes } from '../storage/blob-reads.ts';
import { freeBytes } from './outcome/free-bytes.ts';

/**
 * Frames of one blob that lie this near are read together. A receive misses some frames of its range, as references are put 16
 * at a time and several tasks receive them; a few frames too many cost less than another request.
 */
const MAX_GAP = 512 * 1024;
/** Most bytes of one read; two chunks of the largest kind still fit. */
const MAX_RANGE = 8 * 1024 * 1024;

/** One read: from `offset`, `length` bytes, for the references in it. */
export interface Range {
  container: Reference['container'];
  blob: string;
  offset: number;
  length: number;
  references: Reference[];
}

/** The frame of a reference; undefined when its blob is not there or ends before it, or where `unread` says why not. */
export interface ReadFrame {
  frame?: Buffer | undefined;
  unread?: Error | undefined;
}

/** The frames of references. */
export interface ReadFrames {
  frames: Map<Reference, ReadFrame>;
  /** Frees their memory, once nobody needs any of them. */
  free: () => void;
}

/** Reads the frames of references. A read that fails is the fault of each reference in it. Never throws. */
export async function readFrames(
  container: (name: string) => ContainerClient,
  references: readonly Reference[],
): Promise<ReadFrames> {
  const frames: ReadFrames['frames'] = new Map();
  const read: Buffer[] = [];
  await Promise.all(
    planReads(references).map(async (range) => {
      const { bytes, unread } = await tryRead(container(range.container), range);
      if (bytes) read.push(bytes);
      for (const reference of range.references)
        frames.set(reference, { frame: bytes && frameOf(bytes, range, reference), unread });
    }),
  );
  return {
    frames,
    free: () => {
      for (const bytes of read) freeBytes(bytes);
    },
  };
}

async function tryRead(
  container: ContainerClient,
  range: Range,
): Promise<{ bytes?: Buffer | undefined; unread?: Error }> {
  try {
    return { bytes: await readRange(container, range) };
  } catch (error) {
    return { unread: toError(error) };
  }
}

/** Groups references into as few reads as the limits allow. Pure. */
export function planReads(references: readonly Reference[]): Range[] {
  const sorted = [...references].sort((a, b) => a.blob.localeCompare(b.blob) || a.offset - b.offset);
  const ranges: Range[] = [];
  for (const reference of sorted) {
    const last = ranges.at(-1);
    if (last && joins(last, reference)) {
      last.length = Math.max(last.length, reference.offset + reference.length - last.offset);
      last.references.push(reference);
    } else {
      const { container, blob, offset, length } = reference;
      ranges.push({ container, blob, offset, length, references: [reference] });
    }
  }
  return ranges;
}

const joins = (range: Range, { container, blob, offset, length }: Reference): boolean =>
  range.container === container &&
  range.blob === blob &&
  offset - (range.offset + range.length) <= MAX_GAP &&
  offset + length - range.offset <= MAX_RANGE;

/** Reads a range; undefined when the blob is not there or ends before it. */
export async function readRange(
  container: ContainerClient,
  range: Omit<Range, 'references'>,
): Promise<Buffer | undefined> {
  try {
    const { offset, length } = range;
    return await downloadBytes(container.getBlobClient(range.blob), { offset, count: length });
  } catch (error) {
    const status = statusOf(error);
    if (status === 404 || status === 416) return undefined;
    throw error;
  }
}

/** A reference's frame within a range that was read for it. */
export const frameOf = (bytes: Buffer, range: Pick<Range, 'offset'>, { offset, length }: Reference): Buffer =>
  bytes.subarray(offset - range.offset, offset - range.offset + length);
