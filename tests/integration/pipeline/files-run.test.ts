import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ndjson, transactions } from '../../helpers/data/transactions.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

/**
 * Files of `shared/` whose functions an upload of three items, its processing and its end call: what a reader has to follow.
 * What runs at the start of the app does not count. Raised only with a reason in the commit.
 */
const MAX_FILES = 214;

/** Node writes this for each process and thread that ends. */
interface Coverage {
  result: { url: string; functions: { functionName: string; ranges: [{ startOffset: number; count: number }] }[] }[];
}

let folder: string;
let stack: TestStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-coverage-'));
  // Functions from a compile cache have no precise counts.
  stack = await startStack({ settings: { NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' }, instances: 1 });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Returns how often each function of `shared/` ran in the hosts that have just stopped, by file and position. */
async function callsOf(): Promise<Map<string, number>> {
  const calls = new Map<string, number>();
  for (const name of await readdir(folder)) {
    const { result } = JSON.parse(await readFile(join(folder, name), 'utf8')) as Coverage;
    for (const { url, functions } of result) {
      const [, file] = /\/dist\/shared\/(.+)\.js$/.exec(url) ?? [];
      if (file === undefined) continue;
      for (const {
        ranges: [{ startOffset, count }],
      } of functions) {
        const key = `${file} ${startOffset}`;
        calls.set(key, (calls.get(key) ?? 0) + count);
      }
    }
    await rm(join(folder, name));
  }
  return calls;
}

async function runBatch(): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' };
  const body = ndjson(transactions(3));
  const submitted = await stack.api('workloads/billing/batches', { method: 'POST', headers, body });
  const { id } = (await submitted.json()) as { id: string };
  const stateOf = async (): Promise<unknown> =>
    ((await (await stack.api(`batches/${id}`)).json()) as { state: unknown }).state;
  await expect.poll(stateOf, { interval: 500 }).toBe('completed');
  await expect.poll(statusOfGates, { interval: 500 }).toEqual(['idle']);
}

/** Read from the table, since a request would run more files. */
async function statusOfGates(): Promise<unknown[]> {
  const gates = TableClient.fromConnectionString(stack.storage, 'gates', { allowInsecureConnection: true });
  const status = new Set<unknown>();
  for await (const row of gates.listEntities()) if (row.status !== undefined) status.add(row.status);
  return [...status];
}

test('a small batch runs functions of a limited number of files', async () => {
  await stack.stopHosts();
  const idle = await callsOf();
  await stack.restartHosts();
  await runBatch();
  await stack.stopHosts();

  // The position 0 is the module itself, which is no function.
  const more = [...(await callsOf())].filter(([key, calls]) => !key.endsWith(' 0') && calls > (idle.get(key) ?? 0));
  const files = [...new Set(more.map(([key]) => key.split(' ')[0]))].sort();

  console.log(`${files.length} files of shared/`);
  expect(files).toContain('processing/thread/calls/start-unit');
  expect(files.length).toBeLessThanOrEqual(MAX_FILES);
});
