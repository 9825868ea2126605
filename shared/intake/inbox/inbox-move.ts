/** Moves a file out of the inbox: copies it, then deletes it, each only if the file still has the version that was read. */
import { setTimeout as delay } from 'node:timers/promises';
import type { BlobClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { statusOf } from '../../errors.ts';
import { blobProperties } from '../../storage/blob-reads.ts';
import { log } from '../../telemetry/log.ts';
import type { InboxDeps } from './inbox-deps.ts';
import type { FileVersion } from './inbox-marks.ts';

/**
 * How long to wait for a copy. Within an account, a copy usually finishes with the call, but the service may take days.
 * Source: Microsoft Learn, copy-blob. In that case the next inbox scan finds the copy and continues.
 */
const COPY_WAIT_MS = 10_000;
const POLL_MS = 500;
/** Metadata entry of a copy: the ETag of the file that it was made from. */
const SOURCE_METADATA = 'sourceetag';
/**
 * Returns the ETag (without quotes) that a blob of `inbox-done` or `inbox-rejected` had in the inbox before it was moved.
 */
export const movedVersion = (metadata: Record<string, string> = {}): string | undefined => metadata[SOURCE_METADATA];
/** Whether a blob of `inbox-done` or `inbox-rejected` is a moved file, not a reason. */
export const isMoved = (metadata?: Record<string, string>): boolean => movedVersion(metadata) !== undefined;

/** The service has not finished a copy yet. */
export class CopyPendingError extends Error {
  override name = 'CopyPendingError';
}

type MoveDeps = Pick<InboxDeps, 'container' | 'pause'>;

/** A move. `repeated`: an earlier inbox scan may have created the copy. */
export interface Move {
  file: FileVersion;
  /** Source container. Defaults to the inbox. */
  from?: string;
  to: string;
  metadata: Record<string, string>;
  repeated: boolean;
  /** Fails with 409 instead of replacing an existing blob. */
  createOnly?: boolean;
}

/**
 * Moves a file. A file that was replaced or removed in the meantime is left unchanged. May be repeated.
 * @throws CopyPendingError while the service is copying, and any error with which the service refuses to copy or delete.
 */
export async function moveFile(deps: MoveDeps, move: Move): Promise<void> {
  await onVersion(deps, { ...move.file, from: move.from }, async (source) => {
    await copy(source, move, deps);
    await deleteVersion(source, move.file);
  });
}

/** Deletes a file without copying it, with the same conditions as `moveFile`. */
export const removeFile = (deps: MoveDeps, file: FileVersion): Promise<void> =>
  onVersion(deps, file, (source) => deleteVersion(source, file));

async function onVersion(
  deps: MoveDeps,
  { name, etag, from = CONTAINERS.inbox }: FileVersion & { from?: string | undefined },
  work: (source: BlobClient) => Promise<void>,
): Promise<void> {
  const source = deps.container(from).getBlobClient(name);
  try {
    await work(source);
  } catch (error) {
    // 404 may mean a repeated delete whose response was lost. 412 means another version of the file, or a lease on this
    // one.
    if (![404, 412].includes(statusOf(error) ?? 0)) throw error;
    const found = (await blobProperties(source))?.etag;
    if (found === quoted(etag)) throw error;
    if (found !== undefined) log.info('inbox-replaced', { file: name });
  }
}

/** Does not delete snapshots: they belong to the client, and no copy contains them. */
const deleteVersion = async (source: BlobClient, { etag }: FileVersion): Promise<void> => {
  await source.delete({ conditions: { ifMatch: quoted(etag) } });
};

async function copy(source: BlobClient, move: Move, { container, pause = delay }: MoveDeps): Promise<void> {
  const { file, to, repeated } = move;
  const target = container(to).getBlobClient(file.name);
  let status = repeated ? await copyStatus(target, file.etag) : undefined;
  if (status !== 'success' && status !== 'pending') status = await beginCopy(source, target, move);
  for (let waitedMs = 0; status === 'pending' && waitedMs < COPY_WAIT_MS; waitedMs += POLL_MS) {
    await pause(POLL_MS);
    status = await copyStatus(target, file.etag);
  }
  if (status === 'pending') throw new CopyPendingError(`${file.name} is still being copied.`);
  if (status !== 'success') throw new Error(`The copy of ${file.name} ended as ${status ?? 'another file'}.`);
}

async function beginCopy(
  source: BlobClient,
  target: BlobClient,
  { file, metadata, createOnly = false }: Move,
): Promise<string> {
  try {
    const poller = await target.beginCopyFromURL(source.url, {
      metadata: { ...metadata, [SOURCE_METADATA]: file.etag },
      sourceConditions: { ifMatch: quoted(file.etag) },
      ...(createOnly ? { conditions: { ifNoneMatch: '*' } } : {}),
    });
    return poller.isDone() ? 'success' : 'pending';
  } catch (error) {
    // If the response to an earlier copy was lost, the repeat finds the blob of that copy.
    const copied = createOnly && statusOf(error) === 409 ? await copyStatus(target, file.etag) : undefined;
    if (copied === undefined) throw error;
    return copied;
  }
}

/** Returns the status of the copy of this version; undefined if the target is not a copy of it. */
async function copyStatus(target: BlobClient, etag: string): Promise<string | undefined> {
  const properties = await blobProperties(target);
  return properties?.metadata?.[SOURCE_METADATA] === etag ? properties.copyStatus : undefined;
}

/** Adds the quotes that conditions require; listings return ETags without quotes. */
export const quoted = (etag: string): string => (etag.startsWith('"') ? etag : `"${etag}"`);
/** Returns an ETag without quotes, as in listings. */
export const unquoted = (etag: string): string => etag.replace(/^"(.*)"$/, '$1');
