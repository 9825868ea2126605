/**
 * Input by reference: a file `<workload>/[<lane>/]<name>.url` in the inbox contains the address of a blob of the app's own
 * storage account. That blob is copied to the file `<workload>/[<lane>/]<name>`. Then the address file is removed.
 */
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { Problem, statusOf } from '../../errors.ts';
import { downloadBytes } from '../../storage/blob-reads.ts';
import { log } from '../../telemetry/log.ts';
import { copyBlob, unreadable } from '../import/copy-blob.ts';
import { MAX_URL, ownBlob } from '../import/own-blob.ts';
import { fileMetadata } from '../upload-options.ts';
import type { InboxDeps } from './inbox-deps.ts';
import { quoted, removeFile } from './inbox-move.ts';
import { inboxTarget } from './inbox-target.ts';
import { listedItem } from './listed-item.ts';

const SUFFIX = '.url';
/**
 * An import that is older than this is rejected. Staged blocks are kept for seven days. Source: Microsoft Learn, put-block.
 */
const MAX_IMPORT_MS = 24 * 60 * 60_000;
/** Characters of the address that are stored with the file, for display. */
const MAX_SHOWN = 500;

/** Whether a file of the inbox contains an address to import from. */
export const isImport = (name: string): boolean => name.endsWith(SUFFIX);
/** Returns the name of the file that contains the address from which `name` is imported. */
export const importName = (name: string): string => `${name}${SUFFIX}`;
/** Returns the name of the file that an import creates. */
export const importedName = (name: string): string => name.slice(0, -SUFFIX.length);

/**
 * Copies the source of an address file into the inbox and returns the new file. What an earlier inbox scan copied is not
 * read again. The file gets an idempotency key of the import, so it becomes one batch even if it is created several times.
 * @throws Problem when the address file must be rejected, 'busy' if it was replaced; the reason of `signal` when it
 * aborts; errors of the service.
 */
export async function importFile(deps: InboxDeps, file: BlobItem, signal?: AbortSignal): Promise<BlobItem> {
  const { name, properties } = file;
  const { etag, lastModified } = properties;
  const inbox = deps.container(CONTAINERS.inbox);
  const to = importedName(name);
  const target = inbox.getBlockBlobClient(to);
  if (deps.gate.now() - lastModified.getTime() > MAX_IMPORT_MS)
    throw unreadable('The source was not copied within a day.');
  const { workload } = inboxTarget(deps.registry, to);
  const address = await readAddress(inbox, file);
  const own = ownBlob(address, { account: accountOf(inbox), workload });
  const source = deps.container(own.container).getBlobClient(own.name);
  const given = fileMetadata(file.metadata);
  // If the metadata is too large, the client's entries have priority over the entry for display.
  const shown = fileMetadata({ ...given, importedfrom: address.slice(0, MAX_SHOWN) });
  const metadata = { idempotencykey: `import ${etag}`, ...given, ...shown, order: etag };
  await copyBlob({ source, target, maxBytes: deps.settings.maxInboxBytes, metadata, signal });
  const copied = await target.getProperties();
  await removeFile(deps, { name, etag });
  log.info('inbox-imported', { file: to, from: address, bytes: copied.contentLength });
  return listedItem(to, { ...copied, metadata });
}

/** Returns the URL of the blob service: that of a container, without its name. */
export const accountOf = ({ url, containerName }: ContainerClient): string => url.slice(0, -containerName.length);

async function readAddress(inbox: ContainerClient, { name, properties }: BlobItem): Promise<string> {
  const { etag, contentLength = 0 } = properties;
  if (contentLength === 0 || contentLength > MAX_URL + 2)
    throw new Problem('invalid-parameter', `${name} must contain one address, of at most ${MAX_URL} characters.`);
  try {
    const conditions = { ifMatch: quoted(etag) };
    return (await downloadBytes(inbox.getBlobClient(name), { count: contentLength, conditions }))
      .toString('utf8')
      .trim();
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
    throw new Problem('busy', `${name} was removed or replaced after it was listed.`, { cause: error });
  }
}
