/**
 * The selection of a redrive as one blob: retries frames, as in an outcome, followed by an index in a skippable frame.
 * It is written once, before anything else of a redrive, and everything else follows from it.
 */
import { createHash } from 'node:crypto';
import type { ContainerClient } from '@azure/storage-blob';
import { z } from 'zod';
import { FrameError } from '../../contract/errors.ts';
import { decodeFrameUpTo, digestOf, encodeFrame, skippableFrame, skippablePayload } from '../../contract/frame.ts';
import { statusOf } from '../../errors.ts';
import { downloadBytes } from '../../storage/blob-reads.ts';

const count = z.number().int().nonnegative();

/** One retries frame of a redrive. `runs` are the indices of its items, in order, as [first, count]. */
const redriveChunkSchema = z.object({
  offset: count,
  length: count,
  bytes: count,
  items: count,
  digest: z.string(),
  runs: z.array(z.tuple([count, count])),
  dueAt: z.string().optional(),
});
export type RedriveChunk = z.infer<typeof redriveChunkSchema>;

/**
 * The index of a redrive. `revision`: the revision that it opens. `version`: the workload version of its items.
 * `request`: a digest of the request. `unreadable`: dead letters that it had to omit because their item cannot be read.
 * `causes`: dead letters that it takes by cause, for the causes of the batch row (absent if an earlier version did not
 * record them). With a `reason`, they are discarded and do not run: its chunk has no frame.
 */
const redriveSchema = z.object({
  v: z.literal(1),
  batch: z.string(),
  revision: count,
  version: count,
  request: z.string(),
  at: z.string(),
  unreadable: count,
  causes: z.record(z.string(), count).optional(),
  reason: z.string().optional(),
  chunks: z.array(redriveChunkSchema),
});
export type Redrive = z.infer<typeof redriveSchema>;

/** A stored redrive, with the name of its blob in container `redrives`. */
export interface StoredRedrive {
  blob: string;
  etag: string;
  redrive: Redrive;
}

/** A million single items need about 20 MiB; the limit keeps a damaged blob from using all memory. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;

/** Computes the name of a redrive's blob. Keys come from clients, so they are hashed before they become part of a name. */
export const redriveBlobName = (batch: string, key: string): string =>
  `${batch}/${createHash('sha256').update(key).digest('hex')}.ndjson.zst`;

/** Whether it is a redrive of the report alone; a redrive of dead letters has chunks. */
export const isReportAlone = ({ chunks }: Pick<Redrive, 'chunks'>): boolean => chunks.length === 0;

/** Whether a redrive discards its dead letters instead of running them. */
export const isDiscard = ({ reason }: Pick<Redrive, 'reason'>): boolean => reason !== undefined;

/** Returns how many items a redrive takes. */
export const redrivenItems = ({ chunks }: Redrive): number => chunks.reduce((sum, { items }) => sum + items, 0);

/**
 * Stores a redrive create-only, with one Put: of two with the same key, one is stored as a whole. Returns false if one
 * already exists.
 */
export async function writeRedrive(
  container: ContainerClient,
  blob: string,
  { redrive, frames }: { redrive: Redrive; frames: readonly Uint8Array[] },
): Promise<boolean> {
  const index = skippableFrame(await encodeFrame(Buffer.from(JSON.stringify(redrive))));
  const body = Buffer.concat([...frames, index]);
  const metadata = { indexoffset: String(body.length - index.length), digest: digestOf(index) };
  try {
    await container.getBlockBlobClient(blob).upload(body, body.length, {
      conditions: { ifNoneMatch: '*' },
      metadata,
      blobHTTPHeaders: { blobContentType: 'application/zstd' },
    });
    return true;
  } catch (error) {
    if (statusOf(error) === 409 || statusOf(error) === 412) return false;
    throw error;
  }
}

/**
 * Reads the index of a stored redrive; undefined if there is none with that name.
 * @throws FrameError if it is damaged.
 */
export async function readRedrive(container: ContainerClient, blob: string): Promise<StoredRedrive | undefined> {
  const client = container.getBlobClient(blob);
  try {
    const { metadata, etag = '', contentLength = 0 } = await client.getProperties();
    const offset = Number(metadata?.indexoffset);
    const place = { offset, count: contentLength - offset };
    const bytes = await downloadBytes(client, { ...place, conditions: { ifMatch: etag } });
    if (digestOf(bytes) !== metadata?.digest) throw new FrameError(`The index of redrive ${blob} is damaged.`);
    const text = decodeFrameUpTo(skippablePayload(bytes), MAX_INDEX_BYTES).toString('utf8');
    return { blob, etag, redrive: redriveSchema.parse(JSON.parse(text)) };
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 412) return undefined;
    throw error;
  }
}

/** Run-length encodes indices in their order: 3, 4, 5, 9 → [[3, 3], [9, 1]]. */
export function toRuns(indices: readonly number[]): [first: number, count: number][] {
  const runs: [number, number][] = [];
  for (const index of indices) {
    const last = runs.at(-1);
    if (last && last[0] + last[1] === index) last[1] += 1;
    else runs.push([index, 1]);
  }
  return runs;
}
