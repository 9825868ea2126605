/** Lists the files of the inbox for people: those that wait or are taken, and the rejected ones with their reasons. */
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../../contract/names.ts';
import { inParallel } from '../../../parallel.ts';
import type { Registry } from '../../../workload/registry.ts';
import type { FileProgress } from '../../store/file-progress.ts';
import { fileMetadata } from '../../upload-options.ts';
import { findItem } from '../find-item.ts';
import { importName } from '../import-file.ts';
import { isMoved } from '../inbox-move.ts';
import { type RejectionReason, readReason, reasonName } from '../rejection-reason.ts';

/** States of a file in a listing; `done` is reported only for a single file. */
export const INBOX_STATES = ['waiting', 'taking', 'rejected'] as const;
export type InboxState = (typeof INBOX_STATES)[number] | 'done';

export interface InboxFile {
  name: string;
  /** Workload and lane from the path; undefined if the path contains no known ones. */
  workload: string | undefined;
  lane: string | undefined;
  state: InboxState;
  bytes: number;
  /** Address of the blob from which it is imported. */
  importedFrom?: string;
  /** When it entered this state; ISO 8601. */
  since: string;
  readBytes?: number;
  readItems?: number;
  reason?: RejectionReason;
  batch?: string;
}

export interface InboxFilesDeps {
  container: (name: string) => ContainerClient;
  registry: Registry;
  listTaking: () => AsyncIterable<FileProgress>;
}

export interface InboxFilter {
  workload: string | undefined;
  state: InboxState | undefined;
  limit: number;
  after: InboxPlace | undefined;
}

/** A place in the listing: a container, and the service's continuation token; without a token, the beginning. */
export interface InboxPlace {
  container: 'inbox' | 'inbox-rejected';
  marker: string | undefined;
}

/** Maximum number of list operations per page: filtered files and reasons occupy places in the pages of the service. */
const MAX_LISTINGS = 5;
const READS_AT_ONCE = 16;

/**
 * Lists files, those in the inbox before the rejected ones, each by name. Costs at most five list operations, one for the
 * files being taken, and one read per rejected file. A page may have fewer files than `limit` and still a `next`.
 */
export async function listInboxFiles(
  deps: InboxFilesDeps,
  filter: InboxFilter,
): Promise<{ files: InboxFile[]; next: InboxPlace | undefined }> {
  const files: InboxFile[] = [];
  const first = filter.state === 'rejected' ? CONTAINERS.inboxRejected : CONTAINERS.inbox;
  let place: InboxPlace | undefined = filter.after ?? { container: first, marker: undefined };
  let taking: Map<string, FileProgress> | undefined;
  for (let listings = 0; place !== undefined && files.length < filter.limit && listings < MAX_LISTINGS; listings++) {
    const { blobs, next } = await listPage(deps, filter, { ...place, limit: filter.limit - files.length });
    if (place.container === CONTAINERS.inboxRejected) {
      const moved = blobs.filter(({ metadata }) => isMoved(metadata));
      files.push(...(await inParallel(moved, READS_AT_ONCE, (blob) => rejectedFile(deps, blob))));
    } else if (blobs.length > 0) {
      taking ??= await readTaking(deps);
      const known = taking;
      const found = blobs.map((blob) => fileInInbox(deps, blob, known.get(blob.name)));
      files.push(...found.filter(({ state }) => filter.state === undefined || state === filter.state));
    }
    place = next;
  }
  return { files, next: place };
}

/** Lists the blobs of one page of the service with their metadata: one operation. */
export async function listPage(
  { container }: Pick<InboxFilesDeps, 'container'>,
  { workload, state }: Pick<InboxFilter, 'workload' | 'state'>,
  { limit, ...place }: InboxPlace & { limit: number },
): Promise<{ blobs: BlobItem[]; next: InboxPlace | undefined }> {
  const prefix = workload === undefined ? {} : { prefix: `${workload}/` };
  const pages = container(place.container)
    .listBlobsFlat({ includeMetadata: true, ...prefix })
    .byPage({ maxPageSize: limit, ...(place.marker === undefined ? {} : { continuationToken: place.marker }) });
  const { value } = await pages.next();
  const { segment, continuationToken: marker } = value as {
    segment: { blobItems: BlobItem[] };
    continuationToken?: string;
  };
  return { blobs: segment.blobItems, next: marker ? { ...place, marker } : containerAfter(place, state) };
}

const containerAfter = ({ container }: InboxPlace, state: InboxState | undefined): InboxPlace | undefined =>
  container === CONTAINERS.inbox && state === undefined
    ? { container: CONTAINERS.inboxRejected, marker: undefined }
    : undefined;

async function readTaking({ listTaking }: InboxFilesDeps): Promise<Map<string, FileProgress>> {
  const taking = new Map<string, FileProgress>();
  for await (const progress of listTaking()) taking.set(progress.name, progress);
  return taking;
}

function fileInInbox({ registry }: InboxFilesDeps, blob: BlobItem, progress: FileProgress | undefined): InboxFile {
  const file = fileOf(registry, blob);
  if (progress === undefined || progress.etag !== blob.properties.etag) return { ...file, state: 'waiting' };
  const { bytes, readBytes, readItems, since } = progress;
  return { ...file, state: 'taking', bytes, since, readBytes, readItems };
}

function fileOf(registry: Registry, { name, properties, metadata }: BlobItem): Omit<InboxFile, 'state'> {
  const { importedfrom: importedFrom } = fileMetadata(metadata);
  return {
    name,
    ...targetOf(registry, name),
    bytes: properties.contentLength ?? 0,
    ...(importedFrom === undefined ? {} : { importedFrom }),
    since: properties.lastModified.toISOString(),
  };
}

/** Returns the workload and lane of the path as far as they are known; `inboxTarget` would throw for invalid paths. */
function targetOf(registry: Registry, name: string): Pick<InboxFile, 'workload' | 'lane'> {
  const [first = '', second = '', ...rest] = name.split('/');
  const workload = second === '' ? undefined : registry.workload(first);
  const lane = rest.length > 0 && workload?.lanes.includes(second) ? second : undefined;
  return { workload: workload?.name, lane };
}

async function rejectedFile({ container, registry }: InboxFilesDeps, blob: BlobItem): Promise<InboxFile> {
  const reason = await readReason(container(CONTAINERS.inboxRejected).getBlobClient(reasonName(blob.name)));
  return { ...fileOf(registry, blob), state: 'rejected', ...(reason === undefined ? {} : { reason }) };
}

/**
 * Finds one file by its name in any state, or the order to import it. For a file that became a batch, returns the batch.
 */
export async function findInboxFile(deps: InboxFilesDeps, name: string): Promise<InboxFile | undefined> {
  const { container, registry } = deps;
  const blobIn = (where: string, blob: string) => findItem(container(where), blob);
  const names = [name, importName(name)];
  for (const waits of names) {
    const blob = await blobIn(CONTAINERS.inbox, waits);
    if (blob) return fileInInbox(deps, blob, (await readTaking(deps)).get(waits));
  }
  for (const taken of names) {
    const done = await blobIn(CONTAINERS.inboxDone, taken);
    const batch = done?.metadata?.batch;
    if (done && batch !== undefined) return { ...fileOf(registry, done), state: 'done', batch };
  }
  for (const refused of names) {
    const blob = await blobIn(CONTAINERS.inboxRejected, refused);
    if (blob && isMoved(blob.metadata)) return rejectedFile(deps, blob);
  }
  return undefined;
}
