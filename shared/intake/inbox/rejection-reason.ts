/** Stores, publishes and reads the reason of a rejection, a blob beside the rejected file. */
import { createHash } from 'node:crypto';
import type { BlobClient } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { MAX_BLOB_NAME } from '../../contract/text/blob-name.ts';
import { type Problem, statusOf, type UploadPosition } from '../../errors.ts';
import { downloadStart } from '../../storage/blob-reads.ts';
import { log } from '../../telemetry/log.ts';
import { countRejectedFile } from '../../telemetry/metrics.ts';
import type { InboxDeps } from './inbox-deps.ts';
import type { FileVersion } from './inbox-marks.ts';

const REASON_SUFFIX = '.reason.json';
/** A reason has at most 100 positions. More bytes than this are not read. */
const MAX_REASON_BYTES = 64 * 1024;

/** Why a file was rejected, in the form of the problem that an upload over HTTP would return. */
export interface RejectionReason {
  type: string;
  status: number;
  title: string;
  detail: string;
  errors: UploadPosition[];
}

/**
 * Stores and publishes why a file is rejected, before the file is moved or marked. After a crash in between, the next inbox
 * check decides again and repeats both, so every rejection is published.
 */
export async function rejectFile(deps: InboxDeps, { name, etag }: FileVersion, problem: Problem): Promise<void> {
  await writeReason(deps, name, problem);
  const workload = deps.registry.workload(name.split('/')[0] ?? '');
  await deps.publishRejected({ name, etag, workload, problem });
  log.warn('inbox-rejected', { file: name, reason: problem.message });
  countRejectedFile(workload?.name);
}

/** Stores the reason of a rejection, beside the place that the file is moved to. */
export async function writeReason(deps: Pick<InboxDeps, 'container'>, name: string, problem: Problem): Promise<void> {
  const { type, status, title, message: detail, errors } = problem;
  const reason = JSON.stringify({ type, status, title, detail, errors }, undefined, 2);
  const beside = deps.container(CONTAINERS.inboxRejected).getBlockBlobClient(reasonName(name));
  await beside.upload(reason, Buffer.byteLength(reason), { blobHTTPHeaders: { blobContentType: 'application/json' } });
}

/** Returns `<name>.reason.json`. A name that is too long for the suffix is truncated, and made unique by a hash. */
export function reasonName(name: string): string {
  if (name.length + REASON_SUFFIX.length <= MAX_BLOB_NAME) return `${name}${REASON_SUFFIX}`;
  const end = `~${createHash('sha256').update(name).digest('hex').slice(0, 16)}${REASON_SUFFIX}`;
  // Truncation inside a surrogate pair would leave half of it.
  return `${name.slice(0, MAX_BLOB_NAME - end.length).replace(/[\ud800-\udbff]$/, '')}${end}`;
}

/** Reads why a file was rejected; undefined if the reason was removed or was not written by this app. One operation. */
export async function readReason(blob: BlobClient): Promise<RejectionReason | undefined> {
  try {
    const { bytes } = await downloadStart(blob, MAX_REASON_BYTES);
    const { type, status, title, detail, errors = [] } = JSON.parse(bytes.toString('utf8')) as Partial<RejectionReason>;
    if (typeof type !== 'string' || typeof status !== 'number' || typeof detail !== 'string') return undefined;
    return { type, status, title: String(title), detail, errors: errors.map(positionOf) };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || statusOf(error) === 404) return undefined;
    throw error;
  }
}

const positionOf = ({ line, column, message }: UploadPosition): UploadPosition => ({ line, column, message });
