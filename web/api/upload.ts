import { fileNameText } from '../../shared/contract/upload-kinds.ts';
import { api, filledIn } from './client.ts';
import { ApiError, errorOf, unreachable } from './errors.ts';
import { describeFile } from './media-types.ts';
import type { BatchView, UploadCheck } from './types.ts';

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

/** Returns the request that describes a file, which is sent unchanged. */
const describe = ({ file, workload, lane, delimiter, decimal }: Upload) => {
  const { contentType, encoding } = describeFile(file.name) ?? { contentType: 'application/x-ndjson' };
  return {
    path: { workload },
    query: filledIn({ lane, delimiter, decimal }),
    headers: {
      'content-type': contentType,
      'sluice-file-name': fileNameText(file.name),
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    },
  };
};

/** Validates the first part of a file without submitting it. Throws ApiError. */
export function tryUpload(what: Upload, body: Blob, signal: AbortSignal): Promise<UploadCheck> {
  const { query, ...request } = describe(what);
  const { lane: _lane, ...read } = query;
  return api.json('POST workloads/{workload}/try', { ...request, query: read, body, signal });
}

/**
 * Returns why an item, as JSON, does not fit the schema of its workload; empty if it does, and if the key may not ask:
 * a redrive validates the item, too.
 */
export async function faultsOfItem(workload: string, item: string): Promise<string[]> {
  try {
    const { causes, fault } = await api.json('POST workloads/{workload}/try', {
      path: { workload },
      headers: { 'content-type': 'application/x-ndjson' },
      // JSON has line breaks only between its tokens.
      body: item.replaceAll(/[\r\n]+/g, ' '),
    });
    const messages = causes.flatMap(({ cause, examples }) => examples.map(({ message }) => message || cause));
    return fault === undefined ? messages : [...messages, fault.message];
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return [];
    throw error;
  }
}

/** Progress of an upload: `fraction` of the bytes to send. */
export type UploadProgress = { step: 'compressing' } | { step: 'sending'; fraction: number } | { step: 'storing' };

/** Smaller files are not worth compressing. */
const COMPRESS_FROM_BYTES = 256 * 1024;

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
  const { path, query, headers } = describe(what);
  const { url, headers: own } = api.address('POST workloads/{workload}/batches', {
    path,
    query: { ...query, validate: what.validate ? 'all' : undefined },
  });
  const coding = compress ? { 'content-encoding': 'gzip' } : {};
  const all = { ...own, ...headers, ...coding, 'idempotency-key': idempotencyKey };
  return send({ url, headers: all, body }, options);
}

const gzipped = (file: File, signal: AbortSignal): Promise<Blob> =>
  new Response(file.stream().pipeThrough(new CompressionStream('gzip'), { signal })).blob();

interface Sending {
  url: string;
  headers: Record<string, string>;
  body: Blob;
}

/** Not `fetch`: it does not report upload progress. */
function send({ url, headers, body }: Sending, { onProgress, signal }: UploadOptions): Promise<BatchView> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const outgoing = new XMLHttpRequest();
    outgoing.open('POST', url);
    for (const [name, value] of Object.entries(headers)) outgoing.setRequestHeader(name, value);
    outgoing.upload.onprogress = ({ loaded }) => onProgress({ step: 'sending', fraction: loaded / body.size });
    outgoing.upload.onload = () => onProgress({ step: 'storing' });
    outgoing.onerror = () => reject(unreachable());
    outgoing.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => outgoing.abort(), { once: true });
    outgoing.onload = () => {
      if (outgoing.status === 202) resolve(JSON.parse(outgoing.responseText) as BatchView);
      else reject(errorOf({ status: outgoing.status, text: outgoing.responseText }));
    };
    outgoing.send(body);
  });
}
