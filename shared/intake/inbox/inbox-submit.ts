import type { Readable } from 'node:stream';
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { isIdempotencyKey, MAX_KEY, recordContent } from '../../batches/keys.ts';
import { type Labels, readLabels } from '../../contract/labels.ts';
import { Problem, statusOf } from '../../errors.ts';
import type { Settings } from '../../settings.ts';
import { downloadedPieces } from '../../storage/blob-reads.ts';
import { DOWNLOAD_RESUMES } from '../../storage/retry-limits.ts';
import type { Registry } from '../../workload/registry.ts';
import { type CsvOptions, readCsvOptions } from '../parse/csv-options.ts';
import { type SubmitDeps, submit } from '../submit.ts';
import type { FileVersion } from './inbox-marks.ts';
import { quoted } from './inbox-move.ts';
import { inboxTarget } from './inbox-target.ts';

/** Most characters of a file's name. */
const MAX_FILE_NAME = 255;
const CONTROL = /\p{Cc}/u;

export interface SubmitFileDeps extends SubmitDeps {
  registry: Registry;
  settings: Settings;
  /** How often an intake writes a checkpoint, and the size of its blocks; default as in store-upload.ts. */
  intakeSizes?: { checkpointBytes: number; blockBytes: number };
}

/** The inbox, and a signal that ends the reading of files. */
export interface ReadableInbox {
  inbox: ContainerClient;
  signal: AbortSignal;
}

/** The file was removed or replaced since it was listed. */
export class FileChangedError extends Error {
  override name = 'FileChangedError';
}

/** The batch that a file became, and the one of the last seven days that has the same content. */
export interface SubmittedFile {
  batch: string;
  sameContentAs?: string;
}

/**
 * Makes a batch of an inbox file; gives that of the first time where the file was taken before. Content that another
 * file or upload brought is reported, unless the workload refuses it.
 * @throws Problem when the file must be rejected; FileChangedError when it is not the listed version any more; AbortError
 * when `signal` ends the reading.
 */
export async function submitFile(
  deps: SubmitFileDeps,
  from: ReadableInbox,
  { name, properties, metadata }: BlobItem,
): Promise<SubmittedFile> {
  const target = inboxTarget(deps.registry, name);
  if (properties.blobType === 'AppendBlob') {
    throw new Problem(
      'unsupported-media-type',
      `${name} is an append blob, of which nobody can tell when it is complete.`,
    );
  }
  const given = readMetadata(metadata);
  const { etag, contentLength: bytes = 0 } = properties;
  const readFrom = (offset: number): AsyncIterable<Uint8Array> => readFile(from, { name, etag }, { offset, bytes });
  const row = await submit(deps, {
    ...target,
    key: given.key ?? `${name} ${etag}`,
    // No other file has this key, and a file may lie here for longer than a client's key is remembered.
    keepsKey: given.key === undefined,
    source: { kind: 'inbox', name },
    fileName: given.fileName ?? name.split('/').at(-1)?.slice(0, MAX_FILE_NAME),
    labels: given.labels,
    csv: given.csv,
    body: readFrom(0),
    resumable: { file: { name, etag, bytes }, readFrom, ...deps.intakeSizes },
    limits: { ...deps.settings, maxBodyBytes: deps.settings.maxInboxBytes },
  });
  if (target.workload.inbox.repeatedContent === 'refuse') return { batch: row.id };
  const content = { workload: row.workload, digest: row.digest, batch: row.id };
  const sameContentAs = await recordContent(deps.keys, content, deps.gate.now());
  return { batch: row.id, ...(sameContentAs === undefined ? {} : { sameContentAs }) };
}

interface GivenMetadata {
  key: string | undefined;
  csv: CsvOptions | undefined;
  labels: Labels | undefined;
  fileName: string | undefined;
}

/** What the writer of a file says of it. Metadata names keep the case that they were written in. */
function readMetadata(metadata: Record<string, string> = {}): GivenMetadata {
  const given = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]));
  const { idempotencykey: key, csv, labels, filename } = given;
  if (key !== undefined && !isIdempotencyKey(key))
    throw invalid(`Metadata idempotencykey must be 1 to ${MAX_KEY} printable ASCII characters.`);
  return {
    key,
    csv: csv === undefined ? undefined : readCsvOptions(new URLSearchParams(csv)),
    labels: labels === undefined ? undefined : labelsOf(labels),
    fileName: filename === undefined ? undefined : fileNameOf(filename),
  };
}

const invalid = (detail: string): Problem => new Problem('invalid-parameter', detail);

function labelsOf(text: string): Labels | undefined {
  try {
    return readLabels(text);
  } catch (error) {
    if (error instanceof RangeError) throw invalid(`Metadata labels: ${error.message}`);
    throw error;
  }
}

function fileNameOf(text: string): string {
  let name = '';
  try {
    name = decodeURIComponent(text);
  } catch {
    // Reported below.
  }
  if (name === '' || name.length > MAX_FILE_NAME || CONTROL.test(name))
    throw invalid(`Metadata filename must be 1 to ${MAX_FILE_NAME} characters, percent-encoded.`);
  return name;
}

/** The file from a byte on; it is opened when it is first read from. A range may not begin at the end of a blob. */
async function* readFile(
  { inbox, signal }: ReadableInbox,
  { name, etag }: FileVersion,
  { offset, bytes }: { offset: number; bytes: number },
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  if (offset > 0 && offset >= bytes) return;
  const body = await openFile(inbox, { name, etag }, { offset, signal });
  try {
    yield* downloadedPieces(body);
  } finally {
    body.destroy(); // Its connection, where it was not read to its end.
  }
}

async function openFile(
  inbox: ContainerClient,
  { name, etag }: FileVersion,
  { offset, signal }: { offset: number; signal: AbortSignal },
): Promise<Readable> {
  try {
    const conditions = { ifMatch: quoted(etag) };
    const options = { conditions, maxRetryRequests: DOWNLOAD_RESUMES, abortSignal: signal };
    const { readableStreamBody } = await inbox.getBlobClient(name).download(offset, undefined, options);
    const body = readableStreamBody as Readable;
    // Until somebody reads it, an error that nobody hears would end the process; whoever reads meets it all the same.
    body.on('error', () => undefined);
    return body;
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
    throw new FileChangedError(`${name} was removed or replaced since it was listed.`, { cause: error });
  }
}
