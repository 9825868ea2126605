import { randomBytes } from 'node:crypto';
import type { ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import type { UploadEncoding } from '../../contract/upload-kinds.ts';
import { Problem, statusOf } from '../../errors.ts';
import { bodyStart, type ReadUpload, type UploadSource } from '../read-upload.ts';
import { CheckpointBlob, CheckpointLostError } from './checkpoint.ts';
import type { TakenSource } from './file-progress.ts';
import { type PayloadCheckpoints, type StoredPayload, writePayload } from './write-payload.ts';

const MiB = 1024 * 1024;
/**
 * Bytes of records between two checkpoints. What a crash loses is read again within seconds. A smaller file costs no
 * additional operation. A file of 5 GB has 40 checkpoints of at most about 300 KiB.
 */
const CHECKPOINT_BYTES = 128 * MiB;

/** A file that can be read from any byte, so that its intake can continue where an earlier attempt was interrupted. */
export interface ResumableSource {
  file: Pick<TakenSource, 'name' | 'etag' | 'bytes'>;
  /** Reads the file from `offset` on; nothing is opened before the iteration starts. */
  readFrom: (offset: number) => AsyncIterable<Uint8Array>;
  /** Bytes of records between two checkpoints. Default 128 MiB. */
  checkpointBytes?: number | undefined;
  /** Size of the blocks of the payload. Default 4 MiB. */
  blockBytes?: number | undefined;
}

export interface StoreDeps {
  container: (name: string) => ContainerClient;
  gate: { now: () => number };
}

/** What to store. */
export interface StoreRequest {
  batch: string;
  /** Whether an earlier attempt may have left a checkpoint. */
  repeated: boolean;
  workload: string;
  lane: string | undefined;
  encoding: UploadEncoding;
  /** Opens the upload; `resumed` replaces the body. */
  open: (resumed?: Pick<UploadSource, 'body' | 'resume'>) => ReadUpload;
  /** Everything that affects how the upload is read and divided into chunks: a checkpoint with other values is ignored. */
  reading: unknown;
  resumable: ResumableSource | undefined;
  /** Called after each checkpoint. */
  onCheckpoint: () => void;
}

/** An upload whose payload is committed. */
export interface StoredUpload {
  /** Name of the payload. */
  name: string;
  payload: StoredPayload;
  upload: ReadUpload;
  /** Deletes the checkpoint, if there is one. Call it after the decision whether the batch is accepted. */
  discardCheckpoint: () => Promise<void>;
}

/**
 * Reads an upload and stores its payload, starting from the checkpoint of an earlier attempt, if there is one.
 * @throws CheckpointLostError if another process continues with the file, or staged blocks are missing.
 */
export async function storeUpload(deps: StoreDeps, request: StoreRequest): Promise<StoredUpload> {
  const attempt = randomBytes(8).toString('hex');
  const { resumable, batch, repeated } = request;
  const checkpoints = resumable && new CheckpointBlob(checkpointOptions(deps, { ...request, resumable }, attempt));
  const found = repeated ? await checkpoints?.load() : undefined;
  const name = found?.payload ?? `${batch}/${attempt}.ndjson.zst`;
  const blob = deps.container(CONTAINERS.payloads).getBlockBlobClient(name);
  const discardCheckpoint = async (): Promise<void> => checkpoints?.discard();
  if (checkpoints === undefined || resumable === undefined) {
    const upload = request.open();
    return { name, upload, payload: await writePayload({ blob, chunks: upload.chunks }), discardCheckpoint };
  }
  const read = countingReads(resumable, found === undefined ? 0 : bodyStart(request.encoding, found.resume));
  const upload = request.open({ body: read.body, resume: found?.resume });
  const since = found?.since ?? new Date(deps.gate.now()).toISOString();
  const saving: PayloadCheckpoints = {
    attempt,
    everyBytes: resumable.checkpointBytes ?? CHECKPOINT_BYTES,
    resume: found?.staged,
    save: async (staged, last) => {
      const resume = upload.resumeBehind(last);
      await checkpoints.save({ payload: name, staged, resume, readBytes: read.bytes(), since });
      request.onCheckpoint();
    },
  };
  try {
    const payload = await writePayload({
      ...{ blob, chunks: upload.chunks, checkpoints: saving },
      ...(resumable.blockBytes === undefined ? {} : { blockBytes: resumable.blockBytes }),
    });
    return { name, upload, payload, discardCheckpoint };
  } catch (error) {
    const gone = found !== undefined && isBlocksGone(error);
    if (gone || error instanceof Problem) await discardCheckpoint();
    if (!gone) throw error;
    throw new CheckpointLostError(`The staged blocks of ${resumable.file.name} no longer exist.`, { cause: error });
  }
}

function checkpointOptions(
  { container, gate }: StoreDeps,
  { batch, workload, lane, resumable, reading }: StoreRequest & { resumable: ResumableSource },
  attempt: string,
): ConstructorParameters<typeof CheckpointBlob>[0] {
  const { name, etag, bytes } = resumable.file;
  return {
    ...{ container, batch, attempt, now: gate.now },
    source: { name, etag, bytes, workload, lane },
    reading: JSON.stringify([name, etag, reading]),
  };
}

/**
 * 400: the block list contains blocks that no longer exist. 404 and 409: another attempt has committed the blob, or it was
 * deleted.
 */
const isBlocksGone = (error: unknown): boolean => [400, 404, 409, 412].includes(statusOf(error) ?? 0);

/** Counts the bytes read of the file, to report the progress. */
function countingReads(
  { readFrom }: ResumableSource,
  from: number,
): { body: AsyncIterable<Uint8Array>; bytes: () => number } {
  let bytes = from;
  async function* body(): AsyncGenerator<Uint8Array> {
    for await (const piece of readFrom(from)) {
      bytes += piece.length;
      yield piece;
    }
  }
  return { body: body(), bytes: () => bytes };
}
