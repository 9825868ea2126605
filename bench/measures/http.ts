/**
 * A user's workload that calls an HTTP server, run by `npm start`, compared with a plain script that makes the same
 * calls.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { BenchOptions } from '../arguments.ts';
import type { ClientName } from '../http/client.ts';
import { runPlain } from '../http/plain.ts';
import { copyCheckout, runUserApp } from '../http/user-app.ts';
import { shareOf, type Timed } from './measurement.ts';

/** The result of one client at one latency. */
export interface HttpResult {
  client: ClientName;
  latencyMs: number;
  /** concurrency × threads / latency, in items per second. */
  ideal: number;
  plain: Timed;
  sluice: Timed;
}

const CONCURRENCY = 64;
/** At 20 ms, a machine with two cores just reaches this rate, server included; at 50 ms it has reserves. */
export const CASES: readonly [client: ClientName, latencyMs: number][] = [
  ['fetch', 20],
  ['http', 20],
  ['fetch', 50],
  ['http', 50],
];

/**
 * Runs plain script and `npm start` in turn for each case. Each of them has exclusive use of the server, which runs in
 * a separate process.
 */
export async function measureHttp(
  folder: string,
  { httpItems }: Pick<BenchOptions, 'httpItems'>,
): Promise<HttpResult[]> {
  await copyCheckout(folder);
  const results: HttpResult[] = [];
  for (const [client, latencyMs] of CASES) {
    const threads = availableParallelism();
    const items = Math.round((httpItems * 20) / latencyMs);
    const result = await withServer(latencyMs, async (url) => {
      const work = { url, client, concurrency: CONCURRENCY };
      const plain = { items, seconds: await runPlain(work, items, threads) };
      const sluice = { items, seconds: await runUserApp(folder, work, items) };
      const ideal = (CONCURRENCY * threads * 1_000) / latencyMs;
      return { client, latencyMs, ideal, plain, sluice };
    });
    print(result);
    results.push(result);
  }
  return results;
}

async function withServer<T>(latencyMs: number, work: (url: string) => Promise<T>): Promise<T> {
  const server = fork(new URL('../http/server.ts', import.meta.url), [String(latencyMs)]);
  const gone = once(server, 'exit');
  try {
    const [port] = await once(server, 'message');
    return await work(`http://127.0.0.1:${port}/`);
  } finally {
    server.disconnect();
    await gone;
  }
}

function print(result: HttpResult): void {
  const { client, latencyMs, ideal, plain, sluice } = result;
  const shares = `plain ${shareOf(result, plain).toFixed(3)}, Sluice ${shareOf(result, sluice).toFixed(3)}`;
  process.stdout.write(`  ${client}, ${latencyMs} ms, of ${ideal} items/s: ${shares}\n`);
}
