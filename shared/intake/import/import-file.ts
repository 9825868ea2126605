/**
 * Input by reference: a file `<workload>/[<lane>/]<name>.url` of the inbox holds an address, and becomes the file
 * `<workload>/[<lane>/]<name>` with the file at that address. The address file is removed when that one is there.
 */
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { Problem, statusOf } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import { downloadBytes } from '../../storage/blob-reads.ts';
import { log } from '../../telemetry/log.ts';
import type { Registry } from '../../workload/registry.ts';
import { fileMetadata } from '../inbox/file-metadata.ts';
import { quoted, removeFile } from '../inbox/inbox-move.ts';
import { inboxTarget } from '../inbox/inbox-target.ts';
import { listedItem } from '../inbox/listed-item.ts';
import { allowedSource, type ImportSource, MAX_URL, withoutQuery } from './allowed-source.ts';
import { blobSource } from './blob-source.ts';
import { copySource } from './copy-source.ts';
import { type UrlDeps, urlSource } from './open-url.ts';
import { type OpenSource, unreadable } from './source.ts';

const SUFFIX = '.url';
/** A source that does not answer as it should is tried again for so long. */
const MAX_FAULTS_MS = 60 * 60_000;
/** An import that has not ended by then never will; staged blocks are kept for seven days (learn: put-block). */
const MAX_IMPORT_MS = 24 * 60 * 60_000;
/** Characters of the address that are kept with the file, to be shown. */
const MAX_SHOWN = 500;

export interface ImportDeps {
  container: (name: string) => ContainerClient;
  registry: Registry;
  settings: Pick<Settings, 'urlHosts' | 'maxInboxBytes'>;
  gate: { now: () => number };
  /** How https addresses are opened, for tests. */
  urls?: UrlDeps;
}

/** Whether a file of the inbox holds an address to import from. */
export const isImport = (name: string): boolean => name.endsWith(SUFFIX);
/** The file of the inbox that holds the address of `name`. */
export const importName = (name: string): string => `${name}${SUFFIX}`;
/** The file that an import makes. */
export const importedName = (name: string): string => name.slice(0, -SUFFIX.length);

/**
 * Copies the source of an address file into the inbox, and returns the file that it became. What an earlier look has
 * copied is not read again. The file has its own idempotency key, so it becomes one batch however often it is made.
 * @throws Problem when it must be rejected, 'busy' for what may pass; the reason of `signal` when that is aborted.
 */
export async function importFile(deps: ImportDeps, file: BlobItem, signal?: AbortSignal): Promise<BlobItem> {
  const { name, properties } = file;
  const { etag, lastModified } = properties;
  const inbox = deps.container(CONTAINERS.inbox);
  const to = importedName(name);
  const target = inbox.getBlockBlobClient(to);
  const ageMs = deps.gate.now() - lastModified.getTime();
  if (ageMs > MAX_IMPORT_MS) throw unreadable('The source was not copied within a day.');
  const { workload } = inboxTarget(deps.registry, to);
  const address = await readAddress(inbox, file);
  const source = allowedSource(address, { hosts: deps.settings.urlHosts, account: accountOf(inbox), workload });
  const said = fileMetadata(file.metadata);
  // Where there is no room left, what the client says comes before what is only shown.
  const shown = fileMetadata({ ...said, importedfrom: withoutQuery(address).slice(0, MAX_SHOWN) });
  const metadata = { idempotencykey: `import ${etag}`, ...said, ...shown, order: etag };
  try {
    await copySource({
      open: openerOf(deps, source),
      target,
      maxBytes: deps.settings.maxInboxBytes,
      metadata,
      signal,
    });
  } catch (error) {
    const isLost = error instanceof Problem && error.type === 'busy' && ageMs > MAX_FAULTS_MS;
    throw isLost ? unreadable(`${error.message} It was tried for an hour.`, error) : error;
  }
  const copied = await target.getProperties();
  await removeFile(deps, { name, etag });
  log.info('inbox-imported', { file: to, from: withoutQuery(address), bytes: copied.contentLength });
  return listedItem(to, { ...copied, metadata });
}

const openerOf = ({ container, urls }: ImportDeps, source: ImportSource): OpenSource =>
  source.kind === 'blob'
    ? blobSource(container(source.container).getBlobClient(source.name))
    : urlSource(source.url, urls);

/** Address of the blob service: that of a container, without its name. */
export const accountOf = ({ url, containerName }: ContainerClient): string => url.slice(0, -containerName.length);

async function readAddress(inbox: ContainerClient, { name, properties }: BlobItem): Promise<string> {
  const { etag, contentLength = 0 } = properties;
  if (contentLength === 0 || contentLength > MAX_URL + 2)
    throw new Problem('invalid-parameter', `${name} must hold one address, of at most ${MAX_URL} characters.`);
  try {
    const conditions = { ifMatch: quoted(etag) };
    return (await downloadBytes(inbox.getBlobClient(name), { count: contentLength, conditions }))
      .toString('utf8')
      .trim();
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
    throw new Problem('busy', `${name} was removed or replaced since it was listed.`, { cause: error });
  }
}
