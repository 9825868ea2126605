import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import type { BlobServiceClient, ContainerClient } from '@azure/storage-blob';
import { type Labels, labelsText } from '../../shared/contract/labels.ts';
import { CONTAINERS } from '../../shared/contract/names.ts';
import { statusOf } from '../../shared/errors.ts';
import { csvOptionsParams } from '../../shared/intake/parse/csv/csv-options.ts';
import { ApiProblem, type ProblemFacts } from '../api/problem.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { openBody, type UploadProgress } from './body.ts';
import type { Input } from './input.ts';
import { suffixOf } from './kind.ts';
import { fileNameText } from './post-batch.ts';

/** The containers of the inbox. */
export interface Inbox {
  inbox: ContainerClient;
  done: ContainerClient;
  rejected: ContainerClient;
}

/** A file that lies in the inbox. */
export interface Put {
  name: string;
  /** By the clock of the storage account. */
  at: Date;
}

/** Connects to the storage account that has the inbox. Throws UsageError for what is no connection. */
export async function openInbox(connection: string): Promise<Inbox> {
  const service = await openService(connection);
  return {
    inbox: service.getContainerClient(CONTAINERS.inbox),
    done: service.getContainerClient(CONTAINERS.inboxDone),
    rejected: service.getContainerClient(CONTAINERS.inboxRejected),
  };
}

/** The SDKs take half a second to load, which only this way is worth. */
async function openService(connection: string): Promise<BlobServiceClient> {
  const { BlobServiceClient: Service } = await import('@azure/storage-blob');
  try {
    if (!/^https?:/.test(connection)) return Service.fromConnectionString(connection);
    if (new URL(connection).searchParams.has('sig')) return new Service(connection);
  } catch (error: unknown) {
    // The text itself may hold a key.
    throw new UsageError('--inbox-connection: expected a connection string or the address of a blob service', {
      cause: error,
    });
  }
  const { DefaultAzureCredential } = await import('@azure/identity');
  return new Service(connection, new DefaultAzureCredential());
}

/** `<workload>/[<lane>/]<key>-<name>`: the same upload has the same name, and no other one has it. */
export function inboxName(
  { name, kind, key }: Input,
  { workload, lane }: { workload: string; lane?: string | undefined },
): string {
  const suffix = suffixOf(kind);
  const stem = basename(name).replace(/\.(ndjson|jsonl|json|csv|tsv|tab|xlsx|xlsm|parquet)(\.(gz|br|zst))?$/i, '');
  const safe = stem.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, 80);
  const mark = createHash('sha256').update(key).digest('hex').slice(0, 12);
  return [workload, ...(lane === undefined ? [] : [lane]), `${mark}-${safe}${suffix}`].join('/');
}

const BLOCK_BYTES = 8 * 1024 * 1024;
const PARALLEL_BLOCKS = 4;

/** Streams the upload into the inbox, compressed on the way; it is there whole or not at all. */
export async function putIntoInbox(
  { inbox }: Inbox,
  {
    name,
    input,
    labels,
    onProgress,
  }: { name: string; input: Input; labels?: Labels | undefined; onProgress: (progress: UploadProgress) => void },
): Promise<Put> {
  const progress: UploadProgress = { read: 0, size: input.size, sent: 0 };
  const body = openBody(input.open(), { compress: input.kind.compress, progress });
  // What breaks on the way is told by the last stream, which the upload reads.
  const stream = pipeline([...body], () => {}) as unknown as Readable;
  const { lastModified } = await inbox.getBlockBlobClient(name).uploadStream(stream, BLOCK_BYTES, PARALLEL_BLOCKS, {
    metadata: metadataOf(input, labels),
    onProgress: () => onProgress(progress),
  });
  return { name, at: lastModified ?? new Date(0) };
}

/** What the request would say in its query and headers. */
const metadataOf = ({ key, csv, fileName }: Input, labels: Labels | undefined): Record<string, string> => ({
  idempotencykey: key,
  ...(csv === undefined ? {} : { csv: `${csvOptionsParams(csv)}` }),
  ...(labels === undefined ? {} : { labels: labelsText(labels) }),
  ...(fileName === undefined ? {} : { filename: fileNameText(fileName) }),
});

const LOOK_MS = 2_000;

/** Waits until the app has taken the file, and gives its batch. Throws ApiProblem with the reason if it was rejected. */
export async function awaitInbox(
  inbox: Inbox,
  put: Put,
  waiting: { sleep(ms: number): Promise<unknown>; now(): number; timeoutMs?: number | undefined },
): Promise<string> {
  const { sleep, now, timeoutMs = Infinity } = waiting;
  for (const startedAt = now(); now() - startedAt <= timeoutMs; await sleep(LOOK_MS)) {
    const done = await propertiesSince(inbox.done, put.name, put.at);
    if (done?.metadata?.batch !== undefined) return done.metadata.batch;
    const reason = `${put.name}.reason.json`;
    if (await propertiesSince(inbox.rejected, reason, put.at)) throw await rejection(inbox.rejected, reason);
  }
  throw new CliError(`${put.name} still lies in the inbox; the app takes it at its next look there.`, {
    exitCode: EXIT.timeout,
    hint: 'Does the app watch its inbox? Its setting SLUICE_INBOX_SCHEDULE says when.',
  });
}

/** Of a blob that is no older; what lies there from an earlier upload of the same name says nothing. */
async function propertiesSince(container: ContainerClient, name: string, since: Date) {
  try {
    const properties = await container.getBlobClient(name).getProperties();
    return (properties.lastModified ?? since) >= since ? properties : undefined;
  } catch (error: unknown) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

async function rejection(container: ContainerClient, name: string): Promise<ApiProblem> {
  const text = (await container.getBlobClient(name).downloadToBuffer()).toString('utf8');
  const { status = 400 } = JSON.parse(text) as ProblemFacts & { status?: number };
  return new ApiProblem(status, text);
}
