import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startShim, temporaryStore, waitUntil } from '../../helpers/durable-shim.ts';

const app = fileURLToPath(new URL('../../helpers/durable-crash-app.ts', import.meta.url));

let store: ReturnType<typeof temporaryStore>;
let journal: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  store = temporaryStore();
  journal = `${store.file}.journal`;
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  store.remove();
});

function start(delays: 'push' | 'azure'): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [app, store.file, journal, delays], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { child, output: () => text };
}

async function killAfter(ends: number, delays: 'push' | 'azure'): Promise<void> {
  const { child } = start(delays);
  await waitUntil(() => counted('end').length >= ends);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function resume(delays: 'push' | 'azure'): Promise<unknown> {
  const { child, output } = start(delays);
  await once(child, 'exit');
  return JSON.parse(output());
}

function counted(word: 'start' | 'end'): string[] {
  if (!existsSync(journal)) return [];
  return readFileSync(journal, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${word} `));
}

function runTwice(): number {
  const starts = counted('start');
  return starts.length - new Set(starts).size;
}

const exact = { runtimeStatus: 'Completed', output: (59 * 60) / 2 };

test('killed in a fan-out, again and again, it ends exactly: only activities in flight run twice', async () => {
  await killAfter(10, 'push');
  await killAfter(25, 'push');
  await killAfter(40, 'push');
  expect(await resume('push')).toEqual(exact);
  expect(new Set(counted('end')).size).toBe(60);
  // Three kills, at most four in flight each.
  expect(runTwice()).toBeLessThanOrEqual(12);
});

test("in 'azure' mode an activity in flight comes back only after its visibility time-out", async () => {
  await killAfter(10, 'azure');
  const killedAt = Date.now();
  expect(await resume('azure')).toEqual(exact);
  expect(Date.now() - killedAt).toBeGreaterThan(700);
});

test('a second process on the same store is refused with the reason', async () => {
  const shim = await startShim({ file: store.file });
  const child = spawn(process.execPath, [app, store.file, journal], { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(errors).toContain('in use by another process');
  await shim.stop();
});
