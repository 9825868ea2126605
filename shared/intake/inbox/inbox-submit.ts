import type { Readable } from 'node:stream';
import type { BlobClient, BlobItem } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { Problem, statusOf } from '../../errors.ts';
import { downloadedPieces, openDownload } from '../../storage/blob-reads.ts';
import { uploadTooLarge } from '../limits.ts';
import { submit } from '../submit.ts';
import { inboxOptions } from '../upload-options.ts';
import type { InboxDeps, Taking } from './inbox-deps.ts';
import type { FileVersion } from './inbox-marks.ts';
import { quoted } from './inbox-move.ts';
import { inboxTarget } from './inbox-target.ts';

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
  deps: InboxDeps,
  from: Taking,
  { name, properties, metadata }: BlobItem,
): Promise<string> {
  const { delimiter, ...target } = inboxTarget(deps.registry, name);
  if (properties.blobType === 'AppendBlob') {
    throw new Problem(
      'unsupported-media-type',
      `${name} is an append blob: nothing shows when it is complete. Upload a block blob.`,
    );
  }
  const { key, ...options } = inboxOptions(name, metadata);
  const { etag, contentLength: bytes = 0 } = properties;
  const readFrom = (offset: number): AsyncIterable<Uint8Array> => readFile(deps, from, { name, etag, offset, bytes });
  const row = await submit(deps, {
    ...target,
    ...options,
    csv: { ...(delimiter && { delimiter }), ...options.csv },
    key: key ?? `${name} ${etag}`,
    // No other file has this key, and a file may stay here for longer than a client's key is stored.
    keepsKey: key === undefined,
    source: { kind: 'inbox', name, etag },
    crashes: { isAlone: from.isAlone },
    producer: from.producer,
    body: readFrom(0),
    traceparent: from.traceparent,
    resumable: { file: { name, etag }, readFrom, ...deps.intakeSizes },
    limits: { ...deps.settings, maxBodyBytes: from.maxBytes },
  });
  return row.id;
}

/** Reads the file from a byte on. The file is opened at the first read. A range must not begin at the end of a blob. */
async function* readFile(
  { container }: InboxDeps,
  { signal, maxBytes, maxBytesSetting }: Taking,
  { name, etag, offset, bytes }: FileVersion & { offset: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  // Checked only after the key is claimed: an inbox scan, which has another limit, may be accepting the file.
  if (bytes > maxBytes) throw uploadTooLarge(`The file has ${bytes} bytes; the limit is ${maxBytes}.`, maxBytesSetting);
  if (offset > 0 && offset >= bytes) return;
  const body = await openFile(container(CONTAINERS.inbox).getBlobClient(name), {
    offset,
    ifMatch: quoted(etag),
    signal,
  });
  try {
    yield* downloadedPieces(body);
  } finally {
    body.destroy(); // Closes the connection if the body was not read to its end.
  }
}

async function openFile(blob: BlobClient, range: Parameters<typeof openDownload>[1]): Promise<Readable> {
  try {
    return (await openDownload(blob, range)).body;
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
    throw new FileChangedError(`${blob.name} was removed or replaced after it was listed.`, { cause: error });
  }
}
