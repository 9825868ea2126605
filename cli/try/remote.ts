import { Readable } from 'node:stream';
import type { UploadCheck } from '../../shared/intake/check/check-upload.ts';
import { csvOptionsQuery } from '../../shared/intake/parse/csv-options.ts';
import { unreachable } from '../api/client.ts';
import type { Session } from '../session.ts';
import { problemIn, sendUpload } from '../upload/send/send.ts';
import type { TriedFile } from './tried-file.ts';

/** Slightly more than the 16 MiB that the app reads in a check, so that it does not mistake the cut for the end of the file. */
const MAX_BYTES = 17 * 1024 * 1024;

/** Asks the app to check the beginning of a file; nothing is stored there. Throws ApiProblem, or Unreachable. */
export async function checkRemotely(
  { api }: Session,
  tried: TriedFile,
  asked: { workload: string; items: number },
): Promise<UploadCheck> {
  const { open, contentType, encoding, csv = {}, size } = tried;
  const { url, headers } = api.address('POST workloads/{workload}/try', {
    path: { workload: asked.workload },
    query: { ...csvOptionsQuery(csv), items: asked.items },
  });
  const body = Readable.from(headOf(open(), MAX_BYTES));
  const known = {
    ...headers,
    'content-type': contentType,
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    'user-agent': 'sluice-cli',
    // From the length, the app estimates the whole file.
    ...(size !== undefined && size <= MAX_BYTES ? { 'content-length': String(size) } : {}),
  };
  const answer = await sendUpload({ url, headers: known, body: [body] }).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  if (answer.status !== 200) throw problemIn(answer);
  return JSON.parse(answer.text) as UploadCheck;
}

async function* headOf(pieces: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    yield piece;
    bytes += piece.length;
    if (bytes >= maxBytes) return;
  }
}
