import type { Readable } from 'node:stream';
import type { BlobClient, BlobItem } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { errorCodeOf, Problem, statusOf } from '../../errors.ts';
import { downloadedPieces, openDownload } from '../../storage/blob-reads.ts';
import { uploadTooLarge } from '../limits.ts';
import { submit } from '../submit.ts';
import { inboxOptions } from '../upload-options.ts';
import { type Content, contentName, findSource, isImport } from './import-file.ts';
import type { InboxDeps, Taking } from './inbox-deps.ts';
import { quoted } from './inbox-move.ts';
import { inboxTarget } from './inbox-target.ts';

/** The file was removed or replaced after it was listed. */
export class FileChangedError extends Error {
  override name = 'FileChangedError';
}

/**
 * Creates a batch from an inbox file, or from the blob whose address it contains, and returns its id. If the file was taken
 * before, returns the batch of that time.
 * @throws Problem when the file must be rejected; FileChangedError when it, or the blob at its address, no longer has the
 * known version; AbortError when `signal` ends the reading.
 */
export async function submitFile(deps: InboxDeps, from: Taking, file: BlobItem): Promise<string> {
  const { name, properties, metadata } = file;
  const { delimiter, ...target } = inboxTarget(deps.registry, contentName(name));
  if (properties.blobType === 'AppendBlob') {
    throw new Problem(
      'unsupported-media-type',
      `${name} is an append blob: nothing shows when it is complete. Upload a block blob.`,
    );
  }
  const { key, ...options } = inboxOptions(contentName(name), metadata);
  const { etag, contentLength: bytes = 0 } = properties;
  const content = isImport(name)
    ? await findSource(deps, file, target.workload)
    : { blob: deps.container(CONTAINERS.inbox).getBlobClient(name), etag, bytes };
  const readFrom = (offset: number): AsyncIterable<Uint8Array> => readContent(from, content, offset);
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
    resumable: {
      file: { name, etag, bytes: content.bytes },
      version: content.etag,
      readFrom,
      ...deps.intakeSizes,
    },
    limits: { ...deps.settings, maxBodyBytes: from.maxBytes },
  });
  return row.id;
}

/**
 * Reads the content from a byte on. It is opened at the first read. A range must not begin at the end of a blob. Faults and
 * the size are checked only then, after the key is claimed: an inbox scan, which has another limit, may be accepting the
 * file.
 */
async function* readContent(
  { signal, maxBytes, maxBytesSetting }: Taking,
  { blob, etag, bytes, fault }: Content,
  offset: number,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  if (fault !== undefined) throw new Problem('source-unreadable', fault);
  if (bytes > maxBytes) throw uploadTooLarge(`The file has ${bytes} bytes; the limit is ${maxBytes}.`, maxBytesSetting);
  if (offset > 0 && offset >= bytes) return;
  const body = await openFile(blob, { offset, ifMatch: quoted(etag), signal });
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
    const { containerName, name } = blob;
    // Such as a blob in the archive: a repeat would not help.
    if (statusOf(error) === 409 && containerName !== CONTAINERS.inbox)
      throw new Problem('source-unreadable', `${containerName}/${name} cannot be read: ${errorCodeOf(error)}.`);
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
    throw new FileChangedError(`${name} was removed or replaced after it was listed.`, { cause: error });
  }
}
