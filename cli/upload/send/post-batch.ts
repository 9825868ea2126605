import type { Readable } from 'node:stream';
import { type Labels, labelsText } from '../../../shared/contract/text/labels.ts';
import { fileNameText } from '../../../shared/contract/upload-kinds.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import { type CsvOptions, csvOptionsParams } from '../../../shared/intake/parse/csv/csv-options.ts';
import { type Api, unreachable } from '../../api/client.ts';
import { CliError } from '../../process/errors.ts';
import type { UploadKind } from '../kind.ts';
import { OverHttpLimit, openBody, type UploadProgress } from './body.ts';
import { problemIn, sendUpload, type UploadAnswer } from './send.ts';

/** An upload over HTTP. */
export interface BatchPost {
  workload: string;
  lane?: string | undefined;
  key?: string | undefined;
  kind: UploadKind;
  csv?: CsvOptions | undefined;
  labels?: Labels | undefined;
  /** Of the file, without folders. */
  fileName?: string | undefined;
  /** Every item is checked before the batch is accepted. */
  validate?: boolean | undefined;
  source: Readable;
  /** Bytes of the source, if known. */
  size?: number | undefined;
  /** Most bytes to send; default no limit. Beyond it OverHttpLimit is thrown. */
  maxBytes?: number;
  userAgent: string;
  onProgress(progress: UploadProgress): void;
}

/** The batch, and whether it had been accepted before: then the key was used already, and nothing was done. */
export interface PostedBatch {
  batch: BatchView;
  isRepeat: boolean;
}

const PROGRESS_MS = 100;

/** Streams a source to the pipeline. Throws ApiProblem with the pipeline's reason when it does not take it. */
export async function postBatch(api: Api, post: BatchPost): Promise<PostedBatch> {
  const progress: UploadProgress = { read: 0, size: post.size, sent: 0 };
  const body = openBody(post.source, { ...post, compress: post.kind.compress, progress });
  const timer = setInterval(() => post.onProgress(progress), PROGRESS_MS);
  const startedAt = performance.now();
  try {
    const answer = await sendTo(api, post, body);
    if (answer.status !== 202) throw problemIn(answer);
    const batch = JSON.parse(answer.text) as BatchView;
    return { batch, isRepeat: isRepeat(batch, answer, performance.now() - startedAt) };
  } finally {
    clearInterval(timer);
    post.onProgress(progress);
  }
}

async function sendTo(
  api: Api,
  post: BatchPost,
  body: Parameters<typeof sendUpload>[0]['body'],
): Promise<UploadAnswer> {
  const { url, headers } = api.address(`workloads/${encodeURIComponent(post.workload)}/batches${queryOf(post)}`);
  try {
    return await sendUpload({ url, headers: { ...headers, ...headersOf(post) }, body });
  } catch (error: unknown) {
    // The file is to blame, not the connection.
    if (error instanceof OverHttpLimit || error instanceof CliError) throw error;
    throw unreachable(url, error);
  }
}

function queryOf({ lane, csv = {}, validate }: BatchPost): string {
  const query = csvOptionsParams(csv);
  if (lane !== undefined) query.set('lane', lane);
  if (validate) query.set('validate', 'all');
  return query.size === 0 ? '' : `?${query}`;
}

const headersOf = ({ kind, key, labels, fileName, userAgent }: BatchPost): Record<string, string> => ({
  'content-type': kind.contentType,
  'content-encoding': kind.encoding,
  'user-agent': userAgent,
  ...(key === undefined ? {} : { 'idempotency-key': key }),
  ...(labels === undefined ? {} : { 'sluice-labels': labelsText(labels) }),
  ...(fileName === undefined ? {} : { 'sluice-file-name': fileNameText(fileName) }),
});

/** Clocks differ between the front end, which dates the answer, and the instance that accepted. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * A batch that is at work already is not of this request; nor is one that was accepted before it began, by the server's
 * own clock. A repeat within a second or two may go unnoticed, which changes what is said and nothing else.
 */
function isRepeat({ state, times }: BatchView, { headers }: UploadAnswer, elapsedMs: number): boolean {
  const answeredAt = Date.parse(String(headers.date));
  const isAtWork = state !== 'accepting' && state !== 'queued';
  return isAtWork || Date.parse(times.accepted) < answeredAt - elapsedMs - CLOCK_TOLERANCE_MS;
}
