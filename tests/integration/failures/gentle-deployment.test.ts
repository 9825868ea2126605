/** Publishes with the script of a deployment, while the app works, and ends the app by force as an update on Azure does. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, queueOf, send } from '../../helpers/client.ts';
import { buildOddApp, oddItems } from '../../helpers/odd-app.ts';
import { type SlowServer, startSlowServer } from '../../helpers/servers/slow-server.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const ROOT = join(import.meta.dirname, '../../..');
const ITEMS = 300;

let stack: TestStack;
let server: SlowServer;
let folder: string;
beforeAll(async () => {
  server = await startSlowServer();
  folder = await mkdtemp(join(tmpdir(), 'sluice-deployment-'));
  const appFolder = await buildOddApp('odd-gentle');
  // Leases of five minutes, as deployed: a reference whose process was ended would wait for that long.
  stack = await startStack({
    appFolder,
    settings: { SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' },
    instances: 2,
  });
});
afterAll(async () => {
  await stack?.stop();
  server?.stop();
  await rm(folder, { recursive: true, force: true });
});

const fake = (name: string, body: string) => writeFile(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });

/** Runs publish.sh with an az that asks the test to update the app, and a curl that calls the local stack. */
async function publish(update: () => Promise<void>): Promise<{ status: number | null; output: string }> {
  const [asked, done] = [join(folder, 'asked'), join(folder, 'done')];
  await fake(
    'az',
    `case "$*" in
*'group exists'*) echo true ;;
*'functionapp show'*) echo func-a ;;
*'keys list'*) echo '${stack.keys.function}' ;;
*config-zip*) : > '${asked}'; until [ -e '${done}' ] || [ ! -e '${asked}' ]; do /bin/sleep 0.2; done ;;
*) exit 64 ;;
esac`,
  );
  await fake(
    'curl',
    `for arg; do
  shift
  case $arg in https://func-a/*) arg="${stack.url}/\${arg#https://func-a/}" ;; esac
  set -- "$@" "$arg"
done
exec /usr/bin/curl "$@"`,
  );
  await fake('sleep', 'exec /bin/sleep 1');
  const outputs = join(folder, 'outputs.json');
  await writeFile(
    outputs,
    JSON.stringify({ AZURE_RESOURCE_GROUP: { value: 'rg' }, SLUICE_APPS: { value: ['func-a'] } }),
  );
  await writeFile(join(folder, 'app.zip'), 'zip');
  const script = spawn('sh', [join(ROOT, 'infra/publish.sh'), outputs, join(folder, 'app.zip')], {
    env: { PATH: `${folder}${delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [script.stdout, script.stderr]) stream.on('data', (text) => (output += String(text)));
  const ended = new Promise<number | null>((resolve) => script.on('close', resolve));
  const isOver = (): boolean => script.exitCode !== null || existsSync(asked);
  await expect.poll(isOver, { timeout: 180_000, message: output }).toBe(true);
  expect([output, script.exitCode]).toEqual([output, null]);
  await update();
  await writeFile(done, '');
  return { status: await ended, output };
}

it('a deployment under load repeats no item and lets no reference wait for its lease', async () => {
  const visits = Object.fromEntries(
    Array.from({ length: ITEMS }, (_, n) => [n, { do: 'visit', url: server.url, ms: 400 }]),
  );
  const batch = await send(stack, 'heavy', oddItems(ITEMS, visits));
  await stack.api('queues/odd-normal-0/pause', { method: 'POST', body: JSON.stringify({ reason: 'audit' }) });
  const audit = (await queueOf(stack, 'odd-normal-0'))?.paused;
  await expect.poll(() => server.calls.length, { interval: 50 }).toBeGreaterThan(10);

  const { status, output } = await publish(async () => {
    expect(await queueOf(stack, 'heavy-normal-0')).toMatchObject({
      status: 'idle',
      paused: { by: 'operator', reason: 'a deployment is under way', until: expect.any(String) },
    });
    await stack.killHosts();
    await stack.restartHosts();
  });

  expect([output, status]).toEqual([output, 0]);
  const whileDeployed = server.calls.length;
  expect(whileDeployed).toBeLessThan(ITEMS);
  const { counts } = await finished(stack, batch.id, 240);
  expect(counts).toMatchObject({ accepted: ITEMS, succeeded: ITEMS, retried: 0, duplicatesSeen: 0 });
  expect(server.calls.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual(Array.from({ length: ITEMS }, (_, n) => n));
  expect((await queueOf(stack, 'heavy-normal-0'))?.paused).toBeNull();
  expect((await queueOf(stack, 'odd-normal-0'))?.paused).toEqual(audit);
});
