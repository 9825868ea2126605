import { fileNameText } from '../../shared/contract/upload-kinds.ts';
import { API } from './http/base.ts';
import { errorOf, unreachable } from './http/errors.ts';
import { key } from './http/key.ts';
import { operatorHeader } from './http/request.ts';
import { describeFile } from './media-types.ts';
import type { BatchView } from './types.ts';

/** What to upload and its target. If `lane`, `delimiter` or `decimal` is empty, the service decides. */
export interface Upload {
  file: File;
  workload: string;
  lane: string;
  delimiter: string;
  decimal: string;
  /** Refuse the file if any item does not fit the schema. */
  validate: boolean;
  idempotencyKey: string;
}

/** Returns the address to upload a file to; `try` only validates its beginning. */
export function uploadUrl({ workload, lane, delimiter, decimal, validate }: Upload, to: 'batches' | 'try'): URL {
  const url = new URL(`workloads/${encodeURIComponent(workload)}/${to}`, API);
  const query = { lane, delimiter, decimal, validate: validate && to === 'batches' ? 'all' : '' };
  for (const [name, value] of Object.entries(query)) if (value !== '') url.searchParams.set(name, value);
  return url;
}

/** Returns the headers that describe a file which is sent unchanged. */
export function uploadHeaders({ file }: Upload): Record<string, string> {
  const { contentType, encoding } = describeFile(file.name) ?? { contentType: 'application/x-ndjson' };
  const sentAs = encoding === undefined ? {} : { 'content-encoding': encoding };
  return {
    'content-type': contentType,
    'sluice-file-name': fileNameText(file.name),
    ...sentAs,
  };
}

/** Progress of an upload: `fraction` of the bytes to send. */
export type UploadProgress = { step: 'compressing' } | { step: 'sending'; fraction: number } | { step: 'storing' };

/** Smaller files are not worth compressing. */
const COMPRESS_FROM_BYTES = 256 * 1024;

/** Options of an upload. */
export interface UploadOptions {
  onProgress: (progress: UploadProgress) => void;
  /** Cancels the upload. If the whole file had been sent by then, the service may accept it anyway. */
  signal: AbortSignal;
}

/** Sends a file, compressing it first if it is not compressed. Throws ApiError; AbortError if it is cancelled. */
export async function upload(what: Upload, options: UploadOptions): Promise<BatchView> {
  const { file, idempotencyKey } = what;
  const compress = describeFile(file.name)?.encoding === undefined && file.size >= COMPRESS_FROM_BYTES;
  if (compress) options.onProgress({ step: 'compressing' });
  const body = compress ? await gzipped(file, options.signal) : file;
  const headers = {
    ...uploadHeaders(what),
    'idempotency-key': idempotencyKey,
    ...(compress ? { 'content-encoding': 'gzip' } : {}),
  };
  return send({ url: uploadUrl(what, 'batches'), headers, body }, options);
}

const gzipped = (file: File, signal: AbortSignal): Promise<Blob> =>
  new Response(file.stream().pipeThrough(new CompressionStream('gzip'), { signal })).blob();

interface Sending {
  url: URL;
  headers: Record<string, string>;
  body: Blob;
}

/** Not `fetch`: it does not report upload progress. */
function send({ url, headers, body }: Sending, { onProgress, signal }: UploadOptions): Promise<BatchView> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const outgoing = new XMLHttpRequest();
    outgoing.open('POST', url);
    for (const [name, value] of Object.entries({ ...headers, ...operatorHeader(), 'x-functions-key': key.peek() })) {
      outgoing.setRequestHeader(name, value);
    }
    outgoing.upload.onprogress = ({ loaded }) => onProgress({ step: 'sending', fraction: loaded / body.size });
    outgoing.upload.onload = () => onProgress({ step: 'storing' });
    outgoing.onerror = () => reject(unreachable());
    outgoing.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => outgoing.abort(), { once: true });
    outgoing.onload = () => {
      if (outgoing.status === 202) resolve(JSON.parse(outgoing.responseText) as BatchView);
      else reject(errorOf(outgoing.status, outgoing.responseText));
    };
    outgoing.send(body);
  });
}
