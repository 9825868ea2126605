import { Agent, request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The app that receives the inputs. */
export interface Door {
  /** Without a trailing slash. */
  url: string;
  keys: { function: string; master: string };
  /** The process of the app's only instance; another number after a crash. */
  pid: () => number;
}

/** A body: everything at once, or pieces in the rhythm of a client. */
export type Body = Uint8Array | AsyncIterable<Uint8Array>;

/** An answer, or status 0 with the reason if there was none. */
export interface Answer {
  status: number;
  /** The beginning of the body. */
  text: string;
  /** From the start of the request to the end of the answer. */
  milliseconds: number;
}

/** A request. The function key is added. */
export interface Sent {
  /** Method and path after `/api/`. */
  route: string;
  headers?: Record<string, string>;
  body?: Body | undefined;
  /** The request is aborted after this time. */
  maxMs: number;
}

/** Problem documents and batches are smaller. */
const MAX_TEXT = 64 * 1024;

// `fetch` would wait for one of its connections, and may report a broken pipe instead of an early answer.
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });

/** Sends a request and reads its answer to the end. Never rejects. */
export async function send({ url, keys }: Pick<Door, 'url' | 'keys'>, sent: Sent): Promise<Answer> {
  const startMs = performance.now();
  const signal = AbortSignal.timeout(sent.maxMs);
  const [status, text] = await exchange(url, keys.function, { ...sent, signal }).catch(
    (error: Error) => [0, signal.aborted ? `No answer within ${sent.maxMs} ms` : error.message] as const,
  );
  return { status, text, milliseconds: performance.now() - startMs };
}

type Exchange = Sent & { signal: AbortSignal };

async function exchange(
  url: string,
  key: string,
  { route, headers, body, signal }: Exchange,
): Promise<readonly [status: number, text: string]> {
  const [method = '', path = ''] = route.split(' ');
  const length = body instanceof Uint8Array ? { 'content-length': String(body.length) } : {};
  const outgoing = request(`${url}/api/${path}`, {
    ...{ method, agent, signal },
    headers: { 'x-functions-key': key, ...length, ...headers },
  });
  const answer = new Promise<readonly [number, string]>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.once('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (piece: string) => {
        if (text.length < MAX_TEXT) text += piece;
      });
      incoming.once('end', () => resolve([status, text]));
      // After a refusal, the app may close the connection of a client that still sends.
      incoming.once('error', () => resolve([status, text]));
    });
  });
  if (body === undefined) outgoing.end();
  // The app may refuse the request before its end. Then the answer counts, and not the broken connection.
  else void pipeline(Readable.from(body instanceof Uint8Array ? [body] : body), outgoing).catch(() => undefined);
  return answer.finally(() => outgoing.destroy());
}
