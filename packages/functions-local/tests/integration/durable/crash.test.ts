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

/**
 * Kills the process after this number of completions, while an activity is running. Checks that while the process is frozen.
 */
async function killAfter(ends: number, delays: 'push' | 'azure'): Promise<void> {
  const { child } = start(delays);
  await waitUntil(() => timesOf('end').size >= ends);
  await waitUntil(() => {
    child.kill('SIGSTOP');
    const ended = timesOf('end');
    if ([...timesOf('start').keys()].some((item) => !ended.has(item))) return true;
    child.kill('SIGCONT');
    return false;
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function resume(delays: 'push' | 'azure'): Promise<unknown> {
  const { child, output } = start(delays);
  await once(child, 'exit');
  return JSON.parse(output());
}

/** When each item started or finished, in epoch milliseconds. */
function timesOf(word: 'start' | 'end'): Map<string, number[]> {
  const times = new Map<string, number[]>();
  const lines = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : [];
  for (const line of lines) {
    const [found, item = '', at] = line.split(' ');
    if (found === word) times.set(item, [...(times.get(item) ?? []), Number(at)]);
  }
  return times;
}

const exact = { runtimeStatus: 'Completed', output: (59 * 60) / 2 };

test('a fan-out that is killed repeatedly completes exactly: only activities that were running run twice', async () => {
  await killAfter(10, 'push');
  await killAfter(25, 'push');
  await killAfter(40, 'push');
  expect(await resume('push')).toEqual(exact);
  expect(timesOf('end').size).toBe(60);
  const repeats = [...timesOf('start').values()].reduce((sum, starts) => sum + starts.length - 1, 0);
  // Three kills, with at most four running activities each.
  expect(repeats).toBeLessThanOrEqual(12);
});

test("in 'azure' mode, a running activity becomes visible only after its visibility timeout", async () => {
  await killAfter(10, 'azure');
  expect(await resume('azure')).toEqual(exact);
  const repeated = [...timesOf('start').values()].filter((starts) => starts.length > 1);
  // The timeout is two seconds from when the activity was received, which can be some time before its start on a busy
  // machine. Without the timeout, it would run again as soon as the process is running, after about 200 ms.
  for (const [first = 0, second = 0] of repeated) expect(second - first).toBeGreaterThan(1_000);
  expect(repeated.length).toBeGreaterThan(0);
});

test('a second process with the same store is refused with the reason', async () => {
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
