import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { createZstdCompress } from 'node:zlib';
import { ApiError, type Batch, type SluiceApi } from './api.ts';
import { sendUpload, type Upload } from './send.ts';

/** How far an upload is. Bytes: read of the file, and sent. */
export interface UploadProgress {
  read: number;
  size: number;
  sent: number;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
};
const ENCODINGS: Readonly<Record<string, string>> = { gz: 'gzip', br: 'br', zst: 'zstd' };

/** Content type and encoding of a file by its name. What is not compressed yet is compressed on the way: `compress`. */
export function describeFile(file: string): { contentType: string; encoding: string; compress: boolean } {
  const [, format = '', suffix] = /\.(\w+?)(?:\.(gz|br|zst))?$/.exec(file.toLowerCase()) ?? [];
  const contentType = MEDIA_TYPES[format];
  if (contentType === undefined) throw new Error(`Expected a file of NDJSON, JSON or CSV by its name, got ${file}`);
  return { contentType, encoding: suffix ? (ENCODINGS[suffix] ?? '') : 'zstd', compress: suffix === undefined };
}

/** Streams a file to the pipeline. Throws ApiError with the pipeline's reason when it does not take it. */
export async function uploadFile(
  api: SluiceApi,
  upload: { file: string; workload: string },
  onProgress: (progress: UploadProgress) => void,
): Promise<Batch> {
  const { contentType, encoding, compress } = describeFile(upload.file);
  const progress: UploadProgress = { read: 0, size: (await stat(upload.file)).size, sent: 0 };
  const body = openBody(upload.file, compress, progress);
  const timer = setInterval(() => onProgress(progress), 100);
  try {
    const { url, headers } = api.address(`workloads/${upload.workload}/batches`);
    const types = { 'content-type': contentType, 'content-encoding': encoding, 'user-agent': 'sluice-demo' };
    const answer = await sendUpload({ url, headers: { ...headers, ...types }, body });
    if (answer.status !== 202) throw new ApiError(answer.status, answer.text);
    return JSON.parse(answer.text) as Batch;
  } finally {
    clearInterval(timer);
    onProgress(progress);
  }
}

/** The file's streams up to the bytes to send; counts both ends. */
function openBody(file: string, compress: boolean, progress: UploadProgress): Upload['body'] {
  const countRead = counting((bytes) => {
    progress.read += bytes;
  });
  const countSent = counting((bytes) => {
    progress.sent += bytes;
  });
  return [createReadStream(file), countRead, ...(compress ? [createZstdCompress()] : []), countSent];
}

function counting(count: (bytes: number) => void): Transform {
  return new Transform({
    transform: (piece: Buffer, _encoding, done) => {
      count(piece.length);
      done(null, piece);
    },
  });
}
