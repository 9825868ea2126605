import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import type { BlobServiceClient, ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../../shared/contract/names.ts';
import { type Labels, labelsText } from '../../../shared/contract/text/labels.ts';
import { fileNameText, stemOfName, suffixOf } from '../../../shared/contract/upload-kinds.ts';
import { csvOptionsParams } from '../../../shared/intake/parse/csv-options.ts';
import { UsageError } from '../../process/errors.ts';
import type { Input } from '../input.ts';
import { conversionOf } from '../kind.ts';
import { newProgress, openBody, type UploadProgress } from './body.ts';

export interface Put {
  name: string;
  /** Time of the upload by the clock of the storage account. */
  at: Date;
}

/** Connects to the inbox of a storage account. Throws UsageError for an invalid connection. */
export const openInbox = async (connection: string): Promise<ContainerClient> =>
  (await openService(connection)).getContainerClient(CONTAINERS.inbox);

/** Imports the SDKs lazily, because they take half a second to load and only the inbox needs them. */
async function openService(connection: string): Promise<BlobServiceClient> {
  const { BlobServiceClient: Service } = await import('@azure/storage-blob');
  try {
    if (!/^https?:/.test(connection)) return Service.fromConnectionString(connection);
    if (new URL(connection).searchParams.has('sig')) return new Service(connection);
  } catch (error: unknown) {
    // The message does not contain the value, which may hold a key.
    throw new UsageError('--inbox-connection: expected a connection string or the address of a blob service', {
      cause: error,
    });
  }
  const { DefaultAzureCredential } = await import('@azure/identity');
  return new Service(connection, new DefaultAzureCredential());
}

/** Returns `<workload>/[<lane>/]<key>-<name>`: the same upload always has the same name, and no other upload has it. */
export function inboxName(
  { name, kind, key }: Pick<Input, 'name' | 'kind' | 'key'>,
  { workload, lane }: { workload: string; lane?: string | undefined },
): string {
  const suffix = suffixOf(kind.format, kind.encoding);
  const base = basename(name);
  const stem = conversionOf(base) === undefined ? stemOfName(base) : base.replace(/\.\w+$/, '');
  const safe = stem.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80);
  const mark = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return [workload, ...(lane === undefined ? [] : [lane]), `${mark}-${safe}${suffix}`].join('/');
}

const BLOCK_BYTES = 8 * 1024 * 1024;
const PARALLEL_BLOCKS = 4;

/** Streams the upload into the inbox and compresses it. The blob appears whole or not at all. */
export async function putIntoInbox(
  inbox: ContainerClient,
  {
    name,
    input,
    labels,
    onProgress,
  }: { name: string; input: Input; labels?: Labels | undefined; onProgress: (progress: UploadProgress) => void },
): Promise<Put> {
  const progress = newProgress(input.size);
  onProgress(progress);
  const body = openBody(input.open(), { compress: input.kind.compress, progress });
  // The last stream, which the upload reads, reports all errors.
  const stream = pipeline([...body], () => {}) as unknown as Readable;
  const { lastModified } = await inbox.getBlockBlobClient(name).uploadStream(stream, BLOCK_BYTES, PARALLEL_BLOCKS, {
    metadata: metadataOf(input, labels),
    onProgress: () => onProgress(progress),
  });
  return { name, at: lastModified ?? new Date(0) };
}

/** Returns the metadata that replaces the query and headers of a request. */
const metadataOf = ({ key, csv, fileName }: Input, labels: Labels | undefined): Record<string, string> => ({
  idempotencykey: key,
  ...(csv === undefined ? {} : { csv: `${csvOptionsParams(csv)}` }),
  ...(labels === undefined ? {} : { labels: labelsText(labels) }),
  ...(fileName === undefined ? {} : { filename: fileNameText(fileName) }),
});
