import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiProblem } from '../../api/problem.ts';

export interface Upload {
  url: string;
  headers: Record<string, string>;
  body: readonly [Readable, ...Transform[]];
}

export interface UploadAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/**
 * Posts a stream. `fetch` is not used: if the server refuses an upload before its end, fetch may report the broken pipe instead
 * of the answer with the reason.
 */
export async function sendUpload({ url, headers, body }: Upload): Promise<UploadAnswer> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const outgoing = request(url, { method: 'POST', headers });
  const answer = new Promise<UploadAnswer>((resolve, reject) => {
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.once('error', reject);
      incoming.once('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
  });
  // An answer may arrive before the end of the upload; errors after it do not matter.
  const sent = pipeline([...body, outgoing]).then(() => answer);
  try {
    return await Promise.race([answer, sent]);
  } finally {
    body[0].destroy();
    sent.catch(() => {});
    answer.catch(() => {});
  }
}

/** Converts a refusal of the app to an ApiProblem. */
export function problemIn({ status, text, headers }: UploadAnswer): ApiProblem {
  const retryAfter = headers['retry-after'];
  return new ApiProblem({ status, text, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined });
}
