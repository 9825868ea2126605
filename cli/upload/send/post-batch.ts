import type { Readable } from 'node:stream';
import type { AddressOf } from '../../../shared/client/index.ts';
import { type Labels, labelsText } from '../../../shared/contract/text/labels.ts';
import { fileNameText } from '../../../shared/contract/upload-kinds.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import { type CsvOptions, csvOptionsQuery } from '../../../shared/intake/parse/csv-options.ts';
import { type Api, unreachable } from '../../api/client.ts';
import { CliError } from '../../process/errors.ts';
import type { UploadKind } from '../kind.ts';
import { newProgress, OverHttpLimit, openBody, type UploadProgress } from './body.ts';
import { problemIn, sendUpload, type UploadAnswer } from './send.ts';

export interface BatchPost {
  workload: string;
  lane?: string | undefined;
  key?: string | undefined;
  kind: UploadKind;
  csv?: CsvOptions | undefined;
  labels?: Labels | undefined;
  fileName?: string | undefined;
  /** Whether to check every item before the batch is accepted. */
  validate?: boolean | undefined;
  source: Readable;
  size?: number | undefined;
  /** Maximum number of bytes to send; no limit by default. If exceeded, OverHttpLimit is thrown. */
  maxBytes?: number;
  userAgent: string;
  /** Called with the same object at the start, at intervals, and at the end. */
  onProgress(progress: UploadProgress): void;
}

/** The batch, and whether it was already accepted earlier with the same key. */
export interface PostedBatch {
  batch: BatchView;
  isRepeat: boolean;
}

const PROGRESS_MS = 100;

/** Streams a source to the app. Throws ApiProblem if the app refuses it. */
export async function postBatch(api: Api, post: BatchPost): Promise<PostedBatch> {
  const progress = newProgress(post.size);
  const body = openBody(post.source, { ...post, compress: post.kind.compress, progress });
  post.onProgress(progress);
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
  const { url, headers } = api.address('POST workloads/{workload}/batches', {
    path: { workload: post.workload },
    query: queryOf(post),
  });
  try {
    return await sendUpload({ url, headers: { ...headers, ...headersOf(post) }, body });
  } catch (error: unknown) {
    // Errors of the file, not of the connection.
    if (error instanceof OverHttpLimit || error instanceof CliError) throw error;
    throw unreachable(url, error);
  }
}

const queryOf = ({ lane, csv = {}, validate }: BatchPost): AddressOf<'POST workloads/{workload}/batches'>['query'] => ({
  ...csvOptionsQuery(csv),
  lane,
  ...(validate ? { validate: 'all' } : {}),
});

const headersOf = ({ kind, key, labels, fileName, userAgent }: BatchPost): Record<string, string> => ({
  'content-type': kind.contentType,
  'content-encoding': kind.encoding,
  'user-agent': userAgent,
  ...(key === undefined ? {} : { 'idempotency-key': key }),
  ...(labels === undefined ? {} : { 'sluice-labels': labelsText(labels) }),
  ...(fileName === undefined ? {} : { 'sluice-file-name': fileNameText(fileName) }),
});

/** Tolerance for the clocks of the front end, which dates the answer, and of the instance that accepted the batch. */
const CLOCK_TOLERANCE_MS = 1_000;

/**
 * Whether the batch was accepted by an earlier request: it is already being processed, or, by the server's clock, was accepted
 * before this request began. A repetition within a second or two may go unnoticed, which only changes the message.
 */
function isRepeat({ state, times }: BatchView, { headers }: UploadAnswer, elapsedMs: number): boolean {
  const answeredAt = Date.parse(String(headers.date));
  const isAtWork = state !== 'enqueueing' && state !== 'queued';
  return isAtWork || Date.parse(times.accepted) < answeredAt - elapsedMs - CLOCK_TOLERANCE_MS;
}
