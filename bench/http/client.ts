/** Calls that a handler makes; copied beside the workload of user-app.ts, so that the plain script makes the same ones. */
import { Agent, get, type IncomingMessage } from 'node:http';

/** Gets a URL's JSON. Throws for any status but 200. */
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

/** Node's own two clients, both over connections that stay open. */
export const calls = { fetch: callByFetch, http: callByHttp } satisfies Record<string, Call>;

/** Which client. */
export type ClientName = keyof typeof calls;

/** What the plain script and the workload do. */
export interface HttpWork {
  /** Each item's number is appended to it. */
  url: string;
  client: ClientName;
  /** Calls in flight per thread. */
  concurrency: number;
}
