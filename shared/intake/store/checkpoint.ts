/**
 * Checkpoints record the progress of the intake of a large inbox file, so that a later inbox scan or another process can
 * continue it. There is one blob per batch id. It is written after the blocks that it lists were staged.
 *  Two processes may take one file at the same time: overlapping checks, or a frozen process whose claim of the idempotency
 * key has expired. They share the name of the payload, and still never mix their content:
 * - Each attempt stages blocks under separate ids (with a random part), so no attempt replaces a block of another.
 * - A checkpoint is replaced only if it is unchanged since this attempt read or wrote it (ETag). The process that loses
 *   stops without releasing the claim, because the claim belongs to the other process by then.
 * - The payload is committed create-only, from one list of block ids: those of the checkpoint that the attempt started
 *   with, and those that it staged. The service drops all other blocks. The process that commits second either finds the
 *   same content and continues to the acceptance, where the batch row decides as always, or finds that blocks are missing.
 *   Then its checkpoint is deleted, and the next scan starts from the beginning.
 * - Uncommitted blocks exist for a week, and the sweep deletes a payload that no row refers to a day after its commit.
 *   Therefore a checkpoint is ignored if it, or a payload that another attempt committed, is over half a day old: otherwise
 *   a batch could be accepted whose payload the sweep is about to delete.
 */
import { createHash } from 'node:crypto';
import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { FrameError } from '../../contract/errors.ts';
import { decodeFrameUpTo, encodeFrame } from '../../contract/frame.ts';
import { CONTAINERS, checkpointBlobName } from '../../contract/names.ts';
import { IndexWriter } from '../../contract/payload-index-writer.ts';
import { statusOf, toError } from '../../errors.ts';
import { blobProperties, downloadBytes } from '../../storage/blob-reads.ts';
import { log } from '../../telemetry/log.ts';
import type { UploadResume } from '../read-upload.ts';
import { type FileProgress, progressMetadata } from './file-progress.ts';
import type { StagedPayload } from './write-payload.ts';

/** Half of the time after which the sweep deletes orphans (sweep/sweep-run.ts). */
const MAX_AGE_MS = 12 * 3_600_000;
/** For a terabyte, the digests of segments (64 bytes per 8 MiB) and the block ids (30 bytes per 4 MiB) need 16 MiB. */
const MAX_STATE_BYTES = 64 * 1024 * 1024;

/** Another process continues the intake of this file, or its checkpoint is unusable: the next scan tries again. */
export class CheckpointLostError extends Error {
  override name = 'CheckpointLostError';
}

export interface IntakeState {
  payload: string;
  staged: StagedPayload;
  resume: UploadResume;
  /** Bytes read of the source, as stored in the inbox. */
  readBytes: number;
  since: string;
}

export interface CheckpointOptions {
  container: (name: string) => ContainerClient;
  batch: string;
  file: Pick<FileProgress, 'name' | 'etag' | 'bytes'>;
  /** Everything that affects how the source is read: a checkpoint with another value is ignored. */
  reading: string;
  /** Random. Distinguishes a write of this attempt, whose response was lost, from a write of another process. */
  attempt: string;
  now: () => number;
}

type StoredState = Omit<IntakeState, 'staged'> & { v: 1; staged: Omit<StagedPayload, 'index'> };

export class CheckpointBlob {
  readonly #blob: BlockBlobClient;
  readonly #options: CheckpointOptions;
  #etag: string | undefined;
  #saves = 0;

  constructor(options: CheckpointOptions) {
    this.#options = options;
    this.#blob = options.container(CONTAINERS.payloads).getBlockBlobClient(checkpointBlobName(options.batch));
  }

  /** Loads the checkpoint of an earlier attempt; undefined if there is none that this attempt can use. */
  async load(): Promise<IntakeState | undefined> {
    const found = await blobProperties(this.#blob);
    if (found === undefined) return undefined;
    this.#etag = found.etag;
    const { reading, statebytes } = found.metadata ?? {};
    if (reading !== digestOfText(this.#options.reading) || this.#isOld(found)) return undefined;
    try {
      const state = await this.#read(Number(statebytes));
      return (await this.#isLongCommitted(state.payload)) ? undefined : state;
    } catch (error) {
      if (![404, 412].includes(statusOf(error) ?? 0) && !(error instanceof FrameError)) throw error;
      log.warn('checkpoint-unusable', { batch: this.#options.batch, error: toError(error) });
      return undefined;
    }
  }

  /** Whether an attempt committed the payload long ago and crashed before its acceptance. */
  async #isLongCommitted(payload: string): Promise<boolean> {
    const { container } = this.#options;
    const committed = await blobProperties(container(CONTAINERS.payloads).getBlobClient(payload));
    return committed !== undefined && this.#isOld(committed);
  }

  #isOld({ lastModified }: { lastModified?: Date }): boolean {
    return this.#options.now() - (lastModified?.getTime() ?? 0) > MAX_AGE_MS;
  }

  async #read(stateBytes: number): Promise<IntakeState> {
    const conditions = this.#etag === undefined ? {} : { ifMatch: this.#etag };
    const bytes = await downloadBytes(this.#blob, { conditions });
    const text = decodeFrameUpTo(bytes.subarray(0, stateBytes), MAX_STATE_BYTES).toString();
    const { staged, payload, resume, readBytes, since } = JSON.parse(text) as StoredState;
    const index = IndexWriter.resume(bytes.subarray(stateBytes), staged.bytes);
    return { payload, resume, readBytes, since, staged: { ...staged, index } };
  }

  /**
   * Writes the checkpoint.
   * @throws CheckpointLostError if another process has written it in the meantime.
   */
  async save(state: IntakeState): Promise<void> {
    const { staged, ...rest } = state;
    const { index, ...blocks } = staged;
    const stored: StoredState = { v: 1, ...rest, staged: blocks };
    const frame = await encodeFrame(Buffer.from(JSON.stringify(stored)));
    const body = Buffer.concat([frame, index.end(staged.bytes)]);
    const { attempt, reading, file } = this.#options;
    this.#saves += 1;
    const mine = { attempt, save: String(this.#saves) };
    const { readBytes, since } = state;
    const metadata = {
      ...mine,
      reading: digestOfText(reading),
      statebytes: String(frame.length),
      ...progressMetadata({ ...file, readBytes, readItems: index.items, since }),
    };
    const conditions = this.#etag === undefined ? { ifNoneMatch: '*' } : { ifMatch: this.#etag };
    try {
      const { etag } = await this.#blob.upload(body, body.length, { conditions, metadata });
      this.#etag = etag;
    } catch (error) {
      if (![404, 409, 412].includes(statusOf(error) ?? 0)) throw error;
      // A retry by the SDK is refused too if its first try was stored.
      const found = await blobProperties(this.#blob);
      if (found?.metadata?.attempt !== mine.attempt || found.metadata.save !== mine.save)
        throw new CheckpointLostError(`Another process continues with ${file.name}.`, { cause: error });
      this.#etag = found.etag;
    }
  }

  /** Deletes the checkpoint that was loaded or saved, if any. Never throws: the sweep deletes what remains. */
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

const digestOfText = (text: string): string => createHash('sha256').update(text).digest('hex');
