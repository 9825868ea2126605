import type { ContainerClient } from '@azure/storage-blob';
import type { Reference } from '../contract/reference.ts';
import { forBatch } from '../cost/account.ts';
import { statusOf, toError } from '../errors.ts';
import { downloadBytes } from '../storage/blob-reads.ts';
import { freeBytes } from './free-bytes.ts';

/**
 * Frames of one blob with at most this gap (in bytes) between them are read together. A receive does not contain every
 * frame of its range, because references are put 16 at a time and several tasks receive them. A few frames too many cost
 * less than another request.
 */
const MAX_GAP = 512 * 1024;
/** Maximum number of bytes per read; two chunks of maximum size fit. */
const MAX_RANGE = 8 * 1024 * 1024;

/** One read of `length` bytes from `offset`, with the references whose frames it contains. */
export interface Range {
  container: Reference['container'];
  blob: string;
  offset: number;
  length: number;
  references: Reference[];
}

/** A frame, or the answer of storage that its blob does not exist or ends before it. */
export type Frame = { kind: 'read'; bytes: Buffer } | { kind: 'missing' };

/** `unread`: nothing is known yet; `failed`: the read failed. Only `missing` proves that the items are gone. */
export type FrameState = Frame | { kind: 'unread' } | { kind: 'failed'; error: Error };

/** The frame of a reference that was not read with the others. */
export const UNREAD: FrameState = { kind: 'unread' };

/**
 * Reads the frames of references. If a read fails, each reference in it gets the error. Never throws. `free` frees the memory
 * of all frames; no frame may be used afterwards.
 */
export async function readFrames(
  container: (name: string) => ContainerClient,
  references: readonly Reference[],
): Promise<{ frames: Map<Reference, FrameState>; free: () => void }> {
  const frames = new Map<Reference, FrameState>();
  const read: Buffer[] = [];
  await Promise.all(
    planReads(references).map(async (range) => {
      // All frames of a blob belong to one batch.
      const [{ batch } = { batch: '' }] = range.references;
      const all = await forBatch(batch, () => readFrame(container(range.container), range)).catch(
        (error: unknown): FrameState => ({ kind: 'failed', error: toError(error) }),
      );
      if (all.kind === 'read') read.push(all.bytes);
      for (const reference of range.references)
        frames.set(reference, all.kind === 'read' ? { ...all, bytes: frameOf(all.bytes, range, reference) } : all);
    }),
  );
  return {
    frames,
    free: () => {
      for (const bytes of read) freeBytes(bytes);
    },
  };
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

export async function readFrame(container: ContainerClient, range: Omit<Range, 'references'>): Promise<Frame> {
  const bytes = await readRange(container, range);
  return bytes === undefined ? { kind: 'missing' } : { kind: 'read', bytes };
}

/** Reads a range; returns undefined if storage answers that the blob does not exist or ends before the range. */
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

/** Returns the frame of a reference within the bytes of a range. */
export const frameOf = (bytes: Buffer, range: Pick<Range, 'offset'>, { offset, length }: Reference): Buffer =>
  bytes.subarray(offset - range.offset, offset - range.offset + length);
