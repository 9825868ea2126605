import { errorOf, unreachable } from './errors.ts';
import { key } from './key.ts';
import { API } from './request.ts';
import { spend } from './spending.ts';
import type { BatchView } from './types.ts';

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};
const ENCODINGS: Readonly<Record<string, string>> = { gz: 'gzip', br: 'br', zst: 'zstd' };

/** Content type and encoding of a file by its name; undefined: not a kind that can be uploaded. */
export function describeFile(name: string): { contentType: string; encoding: string | undefined } | undefined {
  const [, format = '', suffix] = /\.(\w+?)(?:\.(gz|br|zst))?$/.exec(name.toLowerCase()) ?? [];
  const contentType = MEDIA_TYPES[format];
  return contentType === undefined ? undefined : { contentType, encoding: suffix && ENCODINGS[suffix] };
}

/** What to upload, and to where. `lane` empty: as the workload decides. */
export interface Upload {
  file: File;
  workload: string;
  lane: string;
  idempotencyKey: string;
}

/** How far it is: `fraction` of the bytes to send. */
export type UploadProgress = { step: 'compressing' } | { step: 'sending'; fraction: number } | { step: 'storing' };

/** Below this a file is not worth compressing first. */
const COMPRESS_FROM_BYTES = 256 * 1024;

/** Sends a file, compressed on the way if it is not yet. Throws ApiError. */
export async function upload(what: Upload, onProgress: (progress: UploadProgress) => void): Promise<BatchView> {
  const { file, workload, lane, idempotencyKey } = what;
  const { contentType, encoding } = describeFile(file.name) ?? { contentType: 'application/x-ndjson' };
  const compress = encoding === undefined && file.size >= COMPRESS_FROM_BYTES;
  if (compress) onProgress({ step: 'compressing' });
  const body = compress ? await gzipped(file) : file;
  const sentAs = compress ? 'gzip' : encoding;
  const url = new URL(`workloads/${encodeURIComponent(workload)}/batches`, API);
  if (lane !== '') url.searchParams.set('lane', lane);
  const headers = {
    'content-type': contentType,
    'idempotency-key': idempotencyKey,
    ...(sentAs === undefined ? {} : { 'content-encoding': sentAs }),
  };
  return send({ url, headers, body }, onProgress);
}

const gzipped = (file: File): Promise<Blob> =>
  new Response(file.stream().pipeThrough(new CompressionStream('gzip'))).blob();

interface Sending {
  url: URL;
  headers: Record<string, string>;
  body: Blob;
}

/** Not with `fetch`, which does not tell how much has been sent. */
function send({ url, headers, body }: Sending, onProgress: (progress: UploadProgress) => void): Promise<BatchView> {
  spend(6);
  return new Promise((resolve, reject) => {
    const outgoing = new XMLHttpRequest();
    outgoing.open('POST', url);
    for (const [name, value] of Object.entries({ ...headers, 'x-functions-key': key.get() })) {
      outgoing.setRequestHeader(name, value);
    }
    outgoing.upload.onprogress = ({ loaded }) => onProgress({ step: 'sending', fraction: loaded / body.size });
    outgoing.upload.onload = () => onProgress({ step: 'storing' });
    outgoing.onerror = () => reject(unreachable());
    outgoing.onload = () => {
      if (outgoing.status === 202) resolve(JSON.parse(outgoing.responseText) as BatchView);
      else reject(errorOf(outgoing.status, outgoing.responseText));
    };
    outgoing.send(body);
  });
}
