/**
 * Input by reference: a file `<workload>/[<lane>/]<name>.url` in the inbox contains the address of a blob of the app's own
 * storage account. That blob is read where it is, as if it were the file `<workload>/[<lane>/]<name>`.
 */
import type { BlobClient, BlobItem, ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { Problem, statusOf } from '../../errors.ts';
import { blobProperties, downloadBytes } from '../../storage/blob-reads.ts';
import type { Workload } from '../../workload/define.ts';
import { MAX_URL, ownBlob } from '../import/own-blob.ts';
import type { InboxDeps } from './inbox-deps.ts';
import { quoted } from './inbox-move.ts';

const SUFFIX = '.url';
/** An import that is older than this is rejected, if its source has not been read by then. */
const MAX_IMPORT_MS = 24 * 60 * 60_000;

/** Whether a file of the inbox contains an address to import from. */
export const isImport = (name: string): boolean => name.endsWith(SUFFIX);
/** Returns the name of the file that contains the address of the content of `name`. */
export const importName = (name: string): string => `${name}${SUFFIX}`;
/** Returns the name by which the content of an inbox file is read: that of an import is without its suffix. */
export const contentName = (name: string): string => (isImport(name) ? name.slice(0, -SUFFIX.length) : name);

/** The blob that a file of the inbox is read from, in one version. */
export interface Content {
  blob: BlobClient;
  etag: string;
  bytes: number;
  /** Why it cannot be read; reported when it has to be read, because the file may have been accepted before. */
  fault?: string | undefined;
}

/**
 * Finds the blob at the address in a file.
 * @throws Problem if the address is invalid or not allowed; 'busy' if the file was replaced.
 */
export async function findSource(deps: InboxDeps, file: BlobItem, workload: Workload): Promise<Content> {
  const inbox = deps.container(CONTAINERS.inbox);
  const { container, name } = ownBlob(await readAddress(inbox, file), { account: accountOf(inbox), workload });
  const blob = deps.container(container).getBlobClient(name);
  const { etag = '', contentLength: bytes = 0 } = (await blobProperties(blob)) ?? {};
  const isLate = deps.gate.now() - file.properties.lastModified.getTime() > MAX_IMPORT_MS;
  const missing = etag === '' ? `There is no blob "${name}" in container "${container}".` : undefined;
  return { blob, etag, bytes, fault: isLate ? 'The source was not read within a day.' : missing };
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
