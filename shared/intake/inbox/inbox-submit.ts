import type { Readable } from 'node:stream';
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { isIdempotencyKey, MAX_KEY } from '../../batches/keys.ts';
import { Problem, statusOf } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import { downloadedPieces, openDownload } from '../../storage/blob-reads.ts';
import { lowerCased } from '../file-metadata.ts';
import { uploadTooLarge } from '../limits.ts';
import { submit } from '../submit.ts';
import type { SubmitDeps } from '../submit-request.ts';
import { inboxOptions } from '../upload-options.ts';
import type { FileVersion } from './inbox-marks.ts';
import { quoted } from './inbox-move.ts';
import { inboxTarget } from './inbox-target.ts';

/** Metadata entry, in any case, in which the writer of a file may set an idempotency key. */
const KEY_METADATA = 'idempotencykey';

export interface SubmitFileDeps extends SubmitDeps {
  settings: Settings;
  /** How often an intake writes a checkpoint, and the size of its blocks. Defaults are in store-upload.ts. */
  intakeSizes?: { checkpointBytes: number; blockBytes: number };
}

/** The inbox, and a signal that ends the reading of files. */
export interface ReadableInbox {
  inbox: ContainerClient;
  signal: AbortSignal;
  /** Maximum size of a file in bytes, as stored; a larger file is not read. */
  maxBytes: number;
  /** The setting that contains `maxBytes`, for the problem of a larger file. */
  maxBytesSetting: string;
  /** The producer of the message that contains the name of the file; undefined if the file was found in the inbox. */
  producer?: string | undefined;
  /** Trace context of that message. */
  traceparent?: string | undefined;
  /** Whether nothing else runs in the process that could end it. */
  isAlone: boolean;
}

/** The file was removed or replaced after it was listed. */
export class FileChangedError extends Error {
  override name = 'FileChangedError';
}

/**
 * Creates a batch from an inbox file, and returns its id. If the file was taken before, returns the batch of that time.
 * @throws Problem when the file must be rejected; FileChangedError when it no longer has the listed version; AbortError
 * when `signal` ends the reading.
 */
export async function submitFile(
  deps: SubmitFileDeps,
  from: ReadableInbox,
  { name, properties, metadata }: BlobItem,
): Promise<string> {
  const { delimiter, ...target } = inboxTarget(deps.registry, name);
  if (properties.blobType === 'AppendBlob') {
    throw new Problem(
      'unsupported-media-type',
      `${name} is an append blob: nothing shows when it is complete. Upload a block blob.`,
    );
  }
  const ownKey = ownKeyOf(metadata);
  const options = inboxOptions(name, metadata);
  const { etag, contentLength: bytes = 0 } = properties;
  const readFrom = (offset: number): AsyncIterable<Uint8Array> => readFile(from, { name, etag }, { offset, bytes });
  const row = await submit(deps, {
    ...target,
    ...options,
    csv: { ...(delimiter && { delimiter }), ...options.csv },
    key: ownKey ?? `${name} ${etag}`,
    // No other file has this key, and a file may stay here for longer than a client's key is stored.
    keepsKey: ownKey === undefined,
    source: { kind: 'inbox', name, etag },
    crashes: { isAlone: from.isAlone },
    producer: from.producer,
    body: readFrom(0),
    traceparent: from.traceparent,
    resumable: { file: { name, etag, bytes }, readFrom, ...deps.intakeSizes },
    limits: { ...deps.settings, maxBodyBytes: from.maxBytes },
  });
  return row.id;
}

function ownKeyOf(metadata?: Record<string, string>): string | undefined {
  const key = lowerCased(metadata)[KEY_METADATA];
  if (key === undefined || isIdempotencyKey(key)) return key;
  throw new Problem(
    'invalid-parameter',
    `Metadata ${KEY_METADATA} must be 1 to ${MAX_KEY} printable ASCII characters.`,
  );
}

/** Reads the file from a byte on. The file is opened at the first read. A range must not begin at the end of a blob. */
async function* readFile(
  { inbox, signal, maxBytes, maxBytesSetting }: ReadableInbox,
  { name, etag }: FileVersion,
  { offset, bytes }: { offset: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  // Checked only after the key is claimed: an inbox scan, which has another limit, may be accepting the file.
  if (bytes > maxBytes) throw uploadTooLarge(`The file has ${bytes} bytes; the limit is ${maxBytes}.`, maxBytesSetting);
  if (offset > 0 && offset >= bytes) return;
  const body = await openFile(inbox, { name, etag }, { offset, signal });
  try {
    yield* downloadedPieces(body);
  } finally {
    body.destroy(); // Closes the connection if the body was not read to its end.
  }
}

async function openFile(
  inbox: ContainerClient,
  { name, etag }: FileVersion,
  { offset, signal }: { offset: number; signal: AbortSignal },
): Promise<Readable> {
  try {
    return (await openDownload(inbox.getBlobClient(name), { offset, ifMatch: quoted(etag), signal })).body;
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
    throw new FileChangedError(`${name} was removed or replaced after it was listed.`, { cause: error });
  }
}
