import { randomBytes } from 'node:crypto';
import type { BlockBlobClient, ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import type { UploadEncoding } from '../../contract/upload-kinds.ts';
import { Problem, statusOf } from '../../errors.ts';
import { bodyStart, type ReadUpload, type UploadSource } from '../read-upload.ts';
import { CheckpointBlob, CheckpointLostError } from './checkpoint.ts';
import type { FileProgress } from './file-progress.ts';
import { type PayloadCheckpoints, type StoredPayload, writePayload } from './write-payload.ts';

const MiB = 1024 * 1024;
/** Bytes of records between two checkpoints of at most 300 KiB. What a crash loses is read again within seconds. */
const CHECKPOINT_BYTES = 128 * MiB;

/** A file that can be read from any byte, so that its intake can continue where an earlier attempt was interrupted. */
export interface ResumableSource {
  file: Pick<FileProgress, 'name' | 'etag' | 'bytes'>;
  /** The version of its content: a checkpoint of another one is ignored. */
  version: string;
  /** Reads the file from `offset` on; nothing is opened before the iteration starts. */
  readFrom: (offset: number) => AsyncIterable<Uint8Array>;
  /** Bytes of records between two checkpoints. Default 128 MiB. */
  checkpointBytes?: number | undefined;
  /** Size of the blocks of the payload. Default 4 MiB. */
  blockBytes?: number | undefined;
}

interface StoreDeps {
  container: (name: string) => ContainerClient;
  gate: { now: () => number };
}

export interface StoreRequest {
  batch: string;
  /** Whether an earlier attempt may have left a checkpoint. */
  repeated: boolean;
  encoding: UploadEncoding;
  /** Opens the upload; `resumed` replaces the body. */
  open: (resumed?: Pick<UploadSource, 'body' | 'resume'>) => ReadUpload;
  /** Everything that affects how the upload is read and divided into chunks: a checkpoint with other values is ignored. */
  reading: unknown;
  resumable: ResumableSource | undefined;
  onCheckpoint: () => void;
}

/** An upload whose payload is committed. */
export interface StoredUpload {
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
  const { resumable } = request;
  if (resumable !== undefined) return storeFile(deps, { ...request, ...resumable }, attempt);
  const name = payloadName(request.batch, attempt);
  const upload = request.open();
  const payload = await writePayload({ blob: payloadBlob(deps, name), chunks: upload.chunks });
  return { name, upload, payload, discardCheckpoint: async () => {} };
}

const payloadName = (batch: string, attempt: string): string => `${batch}/${attempt}.ndjson.zst`;
const payloadBlob = ({ container }: StoreDeps, name: string): BlockBlobClient =>
  container(CONTAINERS.payloads).getBlockBlobClient(name);

async function storeFile(
  deps: StoreDeps,
  request: StoreRequest & ResumableSource,
  attempt: string,
): Promise<StoredUpload> {
  const { batch, reading, file, version, readFrom } = request;
  const { container, gate } = deps;
  const checkpoint = new CheckpointBlob({
    ...{ container, batch, attempt, file, now: gate.now },
    reading: JSON.stringify([file.name, version, reading]),
  });
  const found = request.repeated ? await checkpoint.load() : undefined;
  const name = found?.payload ?? payloadName(batch, attempt);
  const since = found?.since ?? new Date(gate.now()).toISOString();
  const from = found === undefined ? 0 : bodyStart(request.encoding, found.resume);
  let readBytes = from;
  async function* body(): AsyncGenerator<Uint8Array> {
    for await (const piece of readFrom(from)) {
      readBytes += piece.length;
      yield piece;
    }
  }
  const upload = request.open({ body: body(), resume: found?.resume });
  const checkpoints: PayloadCheckpoints = {
    attempt,
    everyBytes: request.checkpointBytes ?? CHECKPOINT_BYTES,
    resume: found?.staged,
    save: async (staged, last) => {
      await checkpoint.save({ payload: name, staged, resume: upload.resumeBehind(last), readBytes, since });
      request.onCheckpoint();
    },
  };
  const { blockBytes } = request;
  try {
    const payload = await writePayload({
      blob: payloadBlob(deps, name),
      chunks: upload.chunks,
      checkpoints,
      blockBytes,
    });
    return { name, upload, payload, discardCheckpoint: () => checkpoint.discard() };
  } catch (error) {
    const gone = found !== undefined && isBlocksGone(error);
    if (gone || error instanceof Problem) await checkpoint.discard();
    if (!gone) throw error;
    throw new CheckpointLostError(`The staged blocks of ${file.name} no longer exist.`, { cause: error });
  }
}

/** 400: blocks no longer exist. 404 and 409: another attempt has committed the blob, or it was deleted. */
const isBlocksGone = (error: unknown): boolean => [400, 404, 409, 412].includes(statusOf(error) ?? 0);
