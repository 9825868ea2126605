import { randomBytes } from 'node:crypto';
import type { ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import type { UploadEncoding } from '../../contract/upload-kinds.ts';
import { Problem, statusOf } from '../../errors.ts';
import { bodyStart, type ReadUpload, type UploadSource } from '../read-upload.ts';
import { CheckpointBlob, CheckpointLostError, type TakenSource } from './checkpoint.ts';
import { type PayloadCheckpoints, type StoredPayload, writePayload } from './write-payload.ts';

const MiB = 1024 * 1024;
/**
 * Records from one checkpoint to the next: what a crash loses is read again within seconds, a file below it costs no operation
 * more, and one of 5 GB has 40 checkpoints of at most some 300 KiB.
 */
const CHECKPOINT_BYTES = 128 * MiB;

/** A file that can be read from any byte, so that its intake can go on where an earlier attempt was interrupted. */
export interface ResumableSource {
  file: Pick<TakenSource, 'name' | 'etag' | 'bytes'>;
  /** The bytes of the file from `offset` on; nothing is opened before they are iterated. */
  readFrom: (offset: number) => AsyncIterable<Uint8Array>;
  /** Records from one checkpoint to the next, in bytes; default 128 MiB. */
  checkpointBytes?: number | undefined;
  /** Size of the blocks of the payload; default 4 MiB. */
  blockBytes?: number | undefined;
}

export interface StoreDeps {
  container: (name: string) => ContainerClient;
  gate: { now: () => number };
}

/** What to store. */
export interface StoreRequest {
  batch: string;
  /** An earlier attempt may have left a checkpoint. */
  repeated: boolean;
  workload: string;
  lane: string | undefined;
  encoding: UploadEncoding;
  /** Opens the upload, with what a resume replaces. */
  open: (resumed?: Pick<UploadSource, 'body' | 'resume'>) => ReadUpload;
  /** Everything that decides how the upload is read and cut: a checkpoint made with other values is not used. */
  reading: unknown;
  resumable: ResumableSource | undefined;
}

/** An upload whose payload is committed. */
export interface StoredUpload {
  /** Name of the payload. */
  name: string;
  payload: StoredPayload;
  upload: ReadUpload;
  /** Deletes the checkpoint, if there is one: to be called when it is decided whether the batch is accepted. */
  discardCheckpoint: () => Promise<void>;
}

/**
 * Reads an upload and stores its payload, beginning where an earlier attempt left a checkpoint.
 * @throws CheckpointLostError when another process goes on with the file, or what was staged is gone.
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
    save: (staged, last) => {
      const resume = upload.resumeBehind(last);
      return checkpoints.save({ payload: name, staged, resume, readBytes: read.bytes(), since });
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
    throw new CheckpointLostError(`What was staged of ${resumable.file.name} is gone.`, { cause: error });
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

/** 400: the block list names blocks that are gone. 404 and 409: another attempt has committed the blob, or it was deleted. */
const isBlocksGone = (error: unknown): boolean => [400, 404, 409, 412].includes(statusOf(error) ?? 0);

/** Counts what was read of the file, for those who look at the progress. */
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
