import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiProblem } from '../../api/problem.ts';

/** What a request carries. */
export interface Upload {
  url: string;
  headers: Record<string, string>;
  /** A source, and what its bytes pass through on the way. */
  body: readonly [Readable, ...Transform[]];
}

/** An answer, read to its end. */
export interface UploadAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/**
 * Posts a stream. Not with `fetch`: when the server refuses an upload half-way, fetch may report the broken pipe in
 * place of the answer that says why.
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
  // An answer before the end of the upload is the one that counts: what breaks after it is of no interest.
  const sent = pipeline([...body, outgoing]).then(() => answer);
  try {
    return await Promise.race([answer, sent]);
  } finally {
    body[0].destroy();
    sent.catch(() => {});
    answer.catch(() => {});
  }
}

/** What the app says in an answer that is a refusal. */
export function problemIn({ status, text, headers }: UploadAnswer): ApiProblem {
  const retryAfter = headers['retry-after'];
  return new ApiProblem(status, text, typeof retryAfter === 'string' ? retryAfter : undefined);
}
