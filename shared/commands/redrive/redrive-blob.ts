/**
 * The selection of a redrive as one blob: retries frames, as in an outcome, followed by an index in a skippable frame.
 * It is written once, before anything else of a redrive, and everything else follows from it:
 *
 *     selection = retries frame* skippable frame of (zstd frame of (size-of-head head chunk*))
 *     head      = JSON
 *     chunk     = length bytes items digest due firstItem lastItem size-of-steps steps
 *
 * Numbers are varints (contract/varint.ts). `digest` is the 32 bytes of SHA-256, `due` the time in milliseconds or 0, and `steps`
 * the distances between items as in contract/line-steps.ts. A million scattered items need 2 to 4 MB, which a reader decodes
 * in turns, while other work of the process runs.
 */
import { createHash } from 'node:crypto';
import type { ContainerClient } from '@azure/storage-blob';
import { z } from 'zod';
import { FrameError } from '../../contract/errors.ts';
import { decodeLargeFrame, digestOf, encodeFrame, skippableFrame, skippablePayload } from '../../contract/frame.ts';
import type { LineSteps } from '../../contract/line-steps.ts';
import { DIGEST } from '../../contract/payload-index.ts';
import { VarintReader, VarintWriter } from '../../contract/varint.ts';
import { Problem, statusOf } from '../../errors.ts';
import { downloadBytes } from '../../storage/blob-reads.ts';
import { Turns } from '../../turns.ts';

/**
 * One retries frame of a redrive. Its items are in ascending order, from `firstItem` to `lastItem`; `steps` are the distances
 * between their positions.
 */
export interface RedriveChunk {
  offset: number;
  length: number;
  bytes: number;
  items: number;
  digest: string;
  firstItem: number;
  lastItem: number;
  steps: LineSteps;
  dueAt?: string;
}

const count = z.number().int().nonnegative();

/**
 * The head of a redrive. `revision`: the revision that it opens. `version`: the workload version of its items.
 * `request`: a digest of the request. `unreadable`: dead letters that it had to omit because their item cannot be read.
 * `causes`: dead letters that it takes by cause, for the causes of the batch row. With a `reason`, they are discarded and do
 * not run: its chunk has no frame.
 */
const headSchema = z.object({
  v: z.literal(2),
  batch: z.string(),
  revision: count,
  version: count,
  request: z.string(),
  at: z.string(),
  unreadable: count,
  causes: z.record(z.string(), count),
  reason: z.string().optional(),
  items: count,
  chunks: count,
});

/** A redrive. `entries` are its encoded chunks, for `chunksOf`. */
export type Redrive = z.infer<typeof headSchema> & { entries: Uint8Array };

/** A stored redrive, with the name of its blob in container `redrives`. */
export interface StoredRedrive {
  blob: string;
  etag: string;
  redrive: Redrive;
}

/** Half of it is enough for a million chunks; the limit keeps a damaged blob from using all memory. */
const MAX_INDEX_BYTES = 128 * 1024 * 1024;

/** Computes the name of a redrive's blob. Keys come from clients, so they are hashed before they become part of a name. */
export const redriveBlobName = (batch: string, key: string): string =>
  `${batch}/${createHash('sha256').update(key).digest('hex')}.ndjson.zst`;

/** Whether it is a redrive of the report alone; a redrive of dead letters has chunks. */
export const isReportAlone = ({ chunks }: Pick<Redrive, 'chunks'>): boolean => chunks === 0;

/** Whether a redrive discards its dead letters instead of running them. */
export const isDiscard = ({ reason }: Pick<Redrive, 'reason'>): boolean => reason !== undefined;

/** Encodes the chunks of a redrive, for `entries`. */
export async function encodeChunks(chunks: readonly Omit<RedriveChunk, 'offset'>[]): Promise<Uint8Array> {
  const writer = new VarintWriter();
  const turns = new Turns();
  for (const { length, bytes, items, digest, dueAt, firstItem, lastItem, steps } of chunks) {
    writer.write(length).write(bytes).write(items);
    writer.writeBytes(Buffer.from(digest.slice(DIGEST.prefix.length), 'hex'));
    writer.write(dueAt === undefined ? 0 : Date.parse(dueAt));
    writer.write(firstItem).write(lastItem).write(steps.length).writeBytes(steps);
    await turns.next();
  }
  return writer.bytes();
}

/** Decodes the chunks of a redrive one by one. There may be a million, so a caller that only computes must take turns. */
export function* chunksOf({ entries }: Pick<Redrive, 'entries'>): Generator<RedriveChunk> {
  const reader = new VarintReader(entries);
  for (let offset = 0; !reader.isAtEnd; ) {
    const [length, bytes, items] = [reader.read(), reader.read(), reader.read()];
    const digest = `${DIGEST.prefix}${Buffer.from(reader.readBytes(DIGEST.bytes)).toString('hex')}`;
    const [due, firstItem, lastItem] = [reader.read(), reader.read(), reader.read()];
    const steps = reader.readBytes(reader.read());
    const dueAt = due === 0 ? {} : { dueAt: new Date(due).toISOString() };
    yield { offset, length, bytes, items, digest, firstItem, lastItem, steps, ...dueAt };
    offset += length;
  }
}

/**
 * Stores a redrive create-only, with one Put: of two with the same key, one is stored as a whole. Returns false if one
 * already exists.
 * @throws Problem 'too-large' if its index is.
 */
export async function writeRedrive(
  container: ContainerClient,
  blob: string,
  { redrive, frames }: { redrive: Redrive; frames: readonly Uint8Array[] },
): Promise<boolean> {
  const { entries, ...fields } = redrive;
  const head = Buffer.from(JSON.stringify(fields));
  const text = new VarintWriter().write(head.length).writeBytes(head).writeBytes(entries).bytes();
  if (text.length > MAX_INDEX_BYTES)
    throw new Problem('too-large', 'There are too many dead letters for one command. Take them one cause at a time.');
  const index = skippableFrame(await encodeFrame(text));
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
    return { blob, etag, redrive: decodeIndex(await decodeLargeFrame(skippablePayload(bytes), MAX_INDEX_BYTES)) };
  } catch (error) {
    if (statusOf(error) === 404 || statusOf(error) === 412) return undefined;
    throw error;
  }
}

function decodeIndex(text: Buffer): Redrive {
  const reader = new VarintReader(text);
  const head = headSchema.parse(JSON.parse(Buffer.from(reader.readBytes(reader.read())).toString('utf8')));
  return { ...head, entries: reader.rest() };
}
