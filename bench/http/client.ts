/**
 * The calls of a handler. The file is copied next to the workload of user-app.ts, so that the plain script makes the same calls.
 */
import { Agent, get, type IncomingMessage } from 'node:http';

/** Gets a URL's JSON. Throws for any status other than 200. */
export type Call = (url: string) => Promise<unknown>;

const agent = new Agent({ keepAlive: true });

const callByFetch: Call = async (url) => {
  const answer = await fetch(url);
  if (answer.status !== 200) throw new Error(`Expected 200, got ${answer.status}.`);
  return answer.json();
};

const callByHttp: Call = (url) =>
  new Promise((resolve, reject) => {
    const onAnswer = (answer: IncomingMessage): void => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
      });
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve(JSON.parse(text));
        else reject(new Error(`Expected 200, got ${answer.statusCode}.`));
      });
      answer.on('error', reject);
    };
    get(url, { agent }, onAnswer).on('error', reject);
  });

/** Node's two HTTP clients, both over connections that stay open. */
export const calls = { fetch: callByFetch, http: callByHttp } satisfies Record<string, Call>;

/** The client to use. */
export type ClientName = keyof typeof calls;

/** The load of the plain script and of the workload. */
export interface HttpWork {
  /** The number of each item is appended to it. */
  url: string;
  client: ClientName;
  /** Calls in flight per thread. */
  concurrency: number;
}
