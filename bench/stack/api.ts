import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { sendUpload } from '../../cli/upload/send/send.ts';
import type { BenchStack } from './stack.ts';

/** The fields of a batch that the bench reads. */
export interface Batch {
  id: string;
  state: string;
  counts: { accepted: number; succeeded: number; dead: number };
}

/** Uploads a body; returns its batch after the acceptance. */
async function upload(
  { url, key }: Pick<BenchStack, 'url' | 'key'>,
  { workload, body, encoding }: { workload: string; body: Readable; encoding: 'zstd' | 'identity' },
): Promise<Batch> {
  const answer = await sendUpload({
    url: `${url}/api/workloads/${workload}/batches`,
    headers: { 'x-functions-key': key, 'content-type': 'application/x-ndjson', 'content-encoding': encoding },
    body: [body],
  });
  if (answer.status !== 202) throw new Error(`Expected 202 for the upload, got ${answer.status}: ${answer.text}`);
  return JSON.parse(answer.text) as Batch;
}

/** Uploads a zstd file. */
export const uploadFile = (stack: Pick<BenchStack, 'url' | 'key'>, workload: string, file: string): Promise<Batch> =>
  upload(stack, { workload, body: createReadStream(file, { highWaterMark: 256 * 1024 }), encoding: 'zstd' });

/** Uploads text as it is. */
export const uploadText = (stack: BenchStack, workload: string, text: string): Promise<Batch> =>
  upload(stack, { workload, body: Readable.from([Buffer.from(text)]), encoding: 'identity' });

/** Gets a path as text. */
export async function read({ url, key }: Pick<BenchStack, 'url' | 'key'>, path: string): Promise<string> {
  const answer = await fetch(`${url}/api/${path}`, { headers: { 'x-functions-key': key } });
  if (!answer.ok)
    throw new Error(`Expected a successful response of ${path}, got ${answer.status}: ${await answer.text()}`);
  return answer.text();
}
