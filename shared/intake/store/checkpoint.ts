/**
 * Checkpoints: where the intake of a large inbox file stands, so that a later look or another process goes on with it. One
 * blob per batch id, written after the blocks that it names were staged.
 *
 * Two processes may take one file at once: looks that overlap, or a frozen process whose claim of the idempotency key has
 * lapsed. They share the payload's name, and still no payload is ever mixed:
 * - Each attempt stages blocks under ids of its own (with a random part), so none replaces a block of another.
 * - A checkpoint is replaced only if it is as this attempt has read or written it (ETag). Who loses stops, and releases
 *   nothing: the claim is the other's by now.
 * - The payload is committed create-only, from one list of block ids: those of the checkpoint that an attempt began with, and
 *   its own. The service drops all other blocks. Who comes second either finds the same content and goes on to acceptance,
 *   where the batch row decides as always, or finds that blocks are gone: then its checkpoint is deleted, and the next look
 *   begins anew.
 * - Uncommitted blocks live for a week, and the sweep deletes payloads that no row names a day after their commit. So a
 *   checkpoint is not used when it, or a payload that another attempt has committed, is half a day old: nobody accepts a
 *   payload that the sweep is about to delete.
 */
import { createHash } from 'node:crypto';
import type { BlobClient, BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { FrameError } from '../../contract/errors.ts';
import { decodeFrameUpTo, encodeFrame } from '../../contract/frame.ts';
import { CONTAINERS, checkpointBlobName } from '../../contract/names.ts';
import { encodeIndex, readIndex } from '../../contract/payload-index.ts';
import { statusOf, toError } from '../../errors.ts';
import { blobProperties, downloadBytes } from '../../storage/blob-reads.ts';
import { log } from '../../telemetry/log.ts';
import type { UploadResume } from '../read-upload.ts';
import type { StagedPayload } from './write-payload.ts';

/** Half of the sweep's patience with orphans (sweep/sweep-run.ts). */
const MAX_AGE_MS = 12 * 3_600_000;
/** Digests of segments (64 bytes per 8 MiB) and block ids (30 bytes per 4 MiB) of a terabyte take 16 MiB. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** Another process goes on with the intake of this file, or its checkpoint is of no use: the next look tries again. */
export class CheckpointLostError extends Error {
  override name = 'CheckpointLostError';
}

/** The file that is taken, as listings show it. */
export interface TakenSource {
  /** Path in the inbox, and the ETag without quotes. */
  name: string;
  etag: string;
  workload: string;
  lane: string | undefined;
  /** Size as stored in the inbox. */
  bytes: number;
}

/** How far the taking of a file is. */
export interface FileProgress extends TakenSource {
  readBytes: number;
  readItems: number;
  /** When the taking began, ISO 8601. */
  since: string;
}

/** What an intake needs to go on. */
export interface IntakeState {
  /** Name of the payload whose blocks are staged. */
  payload: string;
  staged: StagedPayload;
  /** Where to read on. */
  resume: UploadResume;
  /** Bytes of the source as stored in the inbox. */
  readBytes: number;
  since: string;
}

export interface CheckpointOptions {
  container: (name: string) => ContainerClient;
  batch: string;
  source: TakenSource;
  /** Everything that decides how the source is read: a checkpoint with another value is not used. */
  reading: string;
  /** Random: distinguishes a write of our own, whose answer was lost, from that of another process. */
  attempt: string;
  /** Service time in milliseconds. */
  now: () => number;
}

type StoredState = Omit<IntakeState, 'staged'> & { v: 1; staged: Omit<StagedPayload, 'chunks'> };

/** The checkpoint of one intake, as one attempt sees it. */
export class CheckpointBlob {
  readonly #blob: BlockBlobClient;
  readonly #options: CheckpointOptions;
  #etag: string | undefined;
  #saves = 0;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#blob = options.container(CONTAINERS.payloads).getBlockBlobClient(checkpointBlobName(options.batch));
  }

  /** The checkpoint of an earlier attempt; undefined where there is none that this attempt can use. */
  async load(): Promise<IntakeState | undefined> {
    const found = await propertiesOf(this.#blob);
    if (found === undefined) return undefined;
    this.#etag = found.etag;
    const { reading, statebytes } = found.metadata;
    const ageMs = this.#options.now() - found.writtenMs;
    if (reading !== digestOfText(this.#options.reading) || ageMs > MAX_AGE_MS) return undefined;
    try {
      const state = await this.#read(Number(statebytes));
      return (await this.#isLongCommitted(state.payload)) ? undefined : state;
    } catch (error) {
      if (![404, 412].includes(statusOf(error) ?? 0) && !(error instanceof FrameError)) throw error;
      log.warn('checkpoint-unusable', { batch: this.#options.batch, error: toError(error) });
      return undefined;
    }
  }

  /** By an attempt that died before its acceptance. */
  async #isLongCommitted(payload: string): Promise<boolean> {
    const { container, now } = this.#options;
    const committed = await propertiesOf(container(CONTAINERS.payloads).getBlobClient(payload));
    return committed !== undefined && now() - committed.writtenMs > MAX_AGE_MS;
  }

  async #read(stateBytes: number): Promise<IntakeState> {
    const conditions = this.#etag === undefined ? {} : { ifMatch: this.#etag };
    const bytes = await downloadBytes(this.#blob, { conditions });
    const text = decodeFrameUpTo(bytes.subarray(0, stateBytes), MAX_STATE_BYTES).toString();
    const { staged, payload, resume, readBytes, since } = JSON.parse(text) as StoredState;
    return { payload, resume, readBytes, since, staged: { ...staged, chunks: readIndex(bytes.subarray(stateBytes)) } };
  }

  /**
   * Writes the checkpoint.
   * @throws CheckpointLostError when another process has written it meanwhile.
   */
  async save(state: IntakeState): Promise<void> {
    const { staged, ...rest } = state;
    const { chunks, ...blocks } = staged;
    const stored: StoredState = { v: 1, ...rest, staged: blocks };
    const frame = await encodeFrame(Buffer.from(JSON.stringify(stored)));
    const body = Buffer.concat([frame, await encodeIndex(chunks)]);
    const { attempt, reading, source } = this.#options;
    this.#saves += 1;
    const mine = { attempt, save: String(this.#saves) };
    const { readBytes, since } = state;
    const progress = { ...source, readBytes, readItems: itemsOf(staged), since };
    const metadata = {
      ...mine,
      reading: digestOfText(reading),
      statebytes: String(frame.length),
      ...progressMetadata(progress),
    };
    const conditions = this.#etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: this.#etag };
    try {
      const { etag } = await this.#blob.upload(body, body.length, { conditions, metadata });
      this.#etag = etag;
    } catch (error) {
      if (![404, 409, 412].includes(statusOf(error) ?? 0)) throw error;
      // A repeat by the SDK, whose first try was stored, is refused too.
      const found = await propertiesOf(this.#blob);
      if (found?.metadata.attempt !== mine.attempt || found.metadata.save !== mine.save)
        throw new CheckpointLostError(`Another process goes on with ${source.name}.`, { cause: error });
      this.#etag = found.etag;
    }
  }

  /** Deletes the checkpoint that was loaded or saved, if any. Never throws: what is left is deleted by the sweep. */
  async discard(): Promise<void> {
    if (this.#etag === undefined) return;
    try {
      await this.#blob.deleteIfExists({ conditions: { ifMatch: this.#etag } });
    } catch (error) {
      if (statusOf(error) !== 412)
        log.info('checkpoint-not-deleted', { batch: this.#options.batch, error: toError(error) });
    }
    this.#etag = undefined;
  }
}

interface Properties {
  etag: string;
  writtenMs: number;
  metadata: Record<string, string>;
}

async function propertiesOf(blob: BlobClient): Promise<Properties | undefined> {
  const found = await blobProperties(blob);
  if (found === undefined) return undefined;
  const { etag = '', lastModified, metadata = {} } = found;
  return { etag, writtenMs: lastModified?.getTime() ?? 0, metadata };
}

const itemsOf = ({ chunks }: StagedPayload): number => {
  const last = chunks.at(-1);
  return last === undefined ? 0 : last.firstItem + last.items;
};

const digestOfText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A name has up to 1,024 characters of any script: base64 of it fits into the 8 KiB of metadata, percent-encoding may not. */
function progressMetadata({ name, lane, ...progress }: FileProgress): Record<string, string> {
  const { etag, workload, bytes, readBytes, readItems, since } = progress;
  return {
    file: Buffer.from(name).toString('base64url'),
    etag,
    workload,
    ...(lane === undefined ? {} : { lane }),
    bytes: String(bytes),
    readbytes: String(readBytes),
    readitems: String(readItems),
    since,
  };
}

/** Reads the progress from the metadata of a checkpoint; undefined for a blob that is none. */
export function readFileProgress(metadata: Record<string, string>): FileProgress | undefined {
  const { file, etag, workload, lane, bytes, readbytes, readitems, since } = metadata;
  if (file === undefined || etag === undefined || workload === undefined || since === undefined) return undefined;
  return {
    name: Buffer.from(file, 'base64url').toString(),
    etag,
    workload,
    lane,
    bytes: Number(bytes),
    readBytes: Number(readbytes),
    readItems: Number(readitems),
    since,
  };
}
