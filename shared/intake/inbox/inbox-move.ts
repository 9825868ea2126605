/** Moving a file out of the inbox: copy, then delete, each only while the file is the version that was read. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { BlobClient, ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { MAX_BLOB_NAME } from '../../contract/text/blob-name.ts';
import { type Problem, statusOf } from '../../errors.ts';
import { blobProperties } from '../../storage/blob-reads.ts';
import { log } from '../../telemetry/log.ts';
import type { FileVersion } from './inbox-marks.ts';

/**
 * How long a copy is waited for. Within an account copies usually end with the call, but the service may take days (learn:
 * copy-blob); the next look into the inbox finds the copy and goes on.
 */
const COPY_WAIT_MS = 10_000;
const POLL_MS = 500;
/** Metadata name by which a copy names the version of the file that it was made from. */
const SOURCE_METADATA = 'sourceetag';
/** The ETag in the inbox, without quotes, of the file that a blob of `inbox-done` or `inbox-rejected` was moved from. */
export const movedVersion = (metadata: Record<string, string> = {}): string | undefined => metadata[SOURCE_METADATA];
/** Whether a blob of `inbox-done` or `inbox-rejected` is a file that was moved there, and not a reason. */
export const isMoved = (metadata?: Record<string, string>): boolean => movedVersion(metadata) !== undefined;

const REASON_SUFFIX = '.reason.json';

/** The service has not finished a copy yet. */
export class CopyPendingError extends Error {
  override name = 'CopyPendingError';
}

export interface MoveDeps {
  container: (name: string) => ContainerClient;
  /** Waits for some milliseconds; default a timer. */
  pause?: (ms: number) => Promise<unknown>;
}

/** A move. `repeated`: an earlier look may have made the copy. */
export interface Move {
  file: FileVersion;
  /** Default the inbox. */
  from?: string;
  to: string;
  metadata: Record<string, string>;
  repeated: boolean;
  /** Fails with 409 instead of replacing what is there. */
  createOnly?: boolean;
}

/**
 * Moves a file; one that was replaced or removed meanwhile is left as it is. May be repeated.
 * @throws CopyPendingError while the copy goes on, and whatever the service answers where it refuses to copy or to delete.
 */
export async function moveFile(deps: MoveDeps, move: Move): Promise<void> {
  await onVersion(deps, { ...move.file, from: move.from }, async (source) => {
    await copy(source, move, deps);
    await deleteVersion(source, move.file);
  });
}

/** As `moveFile`, without a copy. */
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
    // 404 may be the repeat of a delete whose reply was lost, 412 another version of the file, or a lease on this one.
    if (![404, 412].includes(statusOf(error) ?? 0)) throw error;
    const found = (await blobProperties(source))?.etag;
    if (found === quoted(etag)) throw error;
    if (found !== undefined) log.info('inbox-replaced', { file: name });
  }
}

/** Not with its snapshots: they are the client's, and no copy has them. */
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
    // The repeat of a copy whose reply was lost finds what the first one has made.
    const own = createOnly && statusOf(error) === 409 ? await copyStatus(target, file.etag) : undefined;
    if (own === undefined) throw error;
    return own;
  }
}

/** Where the copy of this version stands; undefined when the target is no copy of it. */
async function copyStatus(target: BlobClient, etag: string): Promise<string | undefined> {
  const properties = await blobProperties(target);
  return properties?.metadata?.[SOURCE_METADATA] === etag ? properties.copyStatus : undefined;
}

/** Listings give ETags without the quotes that conditions are specified to have. */
export const quoted = (etag: string): string => (etag.startsWith('"') ? etag : `"${etag}"`);
/** An ETag as listings give it, of one with its quotes or without. */
export const unquoted = (etag: string): string => etag.replace(/^"(.*)"$/, '$1');

/** Stores why a file is rejected, beside the place that it is moved to. */
export async function writeReason(deps: MoveDeps, name: string, problem: Problem): Promise<void> {
  const { type, status, title, message: detail, errors } = problem;
  const reason = JSON.stringify({ type, status, title, detail, errors }, undefined, 2);
  const beside = deps.container(CONTAINERS.inboxRejected).getBlockBlobClient(reasonName(name));
  await beside.upload(reason, Buffer.byteLength(reason), { blobHTTPHeaders: { blobContentType: 'application/json' } });
}

/** `<name>.reason.json`. A name that leaves no room for that is cut, and made unique by a hash. */
export function reasonName(name: string): string {
  if (name.length + REASON_SUFFIX.length <= MAX_BLOB_NAME) return `${name}${REASON_SUFFIX}`;
  const end = `~${createHash('sha256').update(name).digest('hex').slice(0, 16)}${REASON_SUFFIX}`;
  // A cut through a surrogate pair would leave half of it.
  return `${name.slice(0, MAX_BLOB_NAME - end.length).replace(/[\ud800-\udbff]$/, '')}${end}`;
}
