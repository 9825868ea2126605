import type { Readable } from 'node:stream';
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { recordContent } from '../../batches/content-keys.ts';
import { isIdempotencyKey, MAX_KEY } from '../../batches/keys.ts';
import { Problem, statusOf } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import { downloadedPieces, openDownload } from '../../storage/blob-reads.ts';
import type { Registry } from '../../workload/registry.ts';
import { uploadTooLarge } from '../limits.ts';
import { submit } from '../submit.ts';
import type { SubmitDeps } from '../submit-request.ts';
import { inboxOptions } from '../upload-options.ts';
import { lowerCased } from './file-metadata.ts';
import type { FileVersion } from './inbox-marks.ts';
import { quoted } from './inbox-move.ts';
import { inboxTarget } from './inbox-target.ts';

/** Metadata name, in any case, under which the writer of a file may give an idempotency key of its own. */
const KEY_METADATA = 'idempotencykey';

export interface SubmitFileDeps extends SubmitDeps {
  registry: Registry;
  settings: Settings;
  /** How often an intake writes a checkpoint, and the size of its blocks; default as in store-upload.ts. */
  intakeSizes?: { checkpointBytes: number; blockBytes: number };
}

/** The inbox, and a signal that ends the reading of files. */
export interface ReadableInbox {
  inbox: ContainerClient;
  signal: AbortSignal;
  /** Most bytes of a file as it is stored; a larger one is not read. */
  maxBytes: number;
  /** Who named the file in a message; undefined if it was found in the inbox. */
  producer?: string | undefined;
  /** Of that message. */
  traceparent?: string | undefined;
}

/** The file was removed or replaced since it was listed. */
export class FileChangedError extends Error {
  override name = 'FileChangedError';
}

/** The batch that a file became, and the one of the last seven days that has the same content. */
export interface SubmittedFile {
  batch: string;
  sameContentAs?: string;
}

/**
 * Makes a batch of an inbox file; gives that of the first time where the file was taken before. Content that another
 * file or upload brought is reported, unless the workload refuses it.
 * @throws Problem when the file must be rejected; FileChangedError when it is not the listed version any more; AbortError
 * when `signal` ends the reading.
 */
export async function submitFile(
  deps: SubmitFileDeps,
  from: ReadableInbox,
  { name, properties, metadata }: BlobItem,
): Promise<SubmittedFile> {
  const { delimiter, ...target } = inboxTarget(deps.registry, name);
  if (properties.blobType === 'AppendBlob') {
    throw new Problem('unsupported-media-type', `${name} is an append blob, and nothing shows when it is complete.`);
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
    // No other file has this key, and a file may wait here for longer than a client's key is remembered.
    keepsKey: ownKey === undefined,
    source: { kind: 'inbox', name },
    producer: from.producer,
    body: readFrom(0),
    traceparent: from.traceparent,
    resumable: { file: { name, etag, bytes }, readFrom, ...deps.intakeSizes },
    limits: { ...deps.settings, maxBodyBytes: from.maxBytes },
  });
  if (target.workload.inbox.repeatedContent === 'refuse') return { batch: row.id };
  const content = { workload: row.workload, digest: row.digest, batch: row.id };
  const sameContentAs = await recordContent(deps.keys, content, deps.gate.now());
  return { batch: row.id, ...(sameContentAs === undefined ? {} : { sameContentAs }) };
}

function ownKeyOf(metadata?: Record<string, string>): string | undefined {
  const key = lowerCased(metadata)[KEY_METADATA];
  if (key === undefined || isIdempotencyKey(key)) return key;
  throw new Problem(
    'invalid-parameter',
    `Metadata ${KEY_METADATA} must be 1 to ${MAX_KEY} printable ASCII characters.`,
  );
}

/** The file from a byte on; it is opened when it is first read from. A range may not begin at the end of a blob. */
async function* readFile(
  { inbox, signal, maxBytes }: ReadableInbox,
  { name, etag }: FileVersion,
  { offset, bytes }: { offset: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  // Not before the key is claimed: a look into the inbox, which has another limit, may be accepting the file.
  if (bytes > maxBytes) throw uploadTooLarge(`The file has ${bytes} bytes, over ${maxBytes}.`);
  if (offset > 0 && offset >= bytes) return;
  const body = await openFile(inbox, { name, etag }, { offset, signal });
  try {
    yield* downloadedPieces(body);
  } finally {
    body.destroy(); // Its connection, where it was not read to its end.
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
    throw new FileChangedError(`${name} was removed or replaced since it was listed.`, { cause: error });
  }
}
