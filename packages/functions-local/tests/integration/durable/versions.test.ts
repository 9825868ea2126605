import * as df from 'durable-functions';
import { afterEach, expect, test } from 'vitest';
import { type Shim, startShim, temporaryStore, waitForStatus, waitUntil } from '../../helpers/durable-shim.ts';

df.app.orchestration('versioned', function* (context) {
  yield context.df.waitForExternalEvent('go');
  return context.df.version;
});

const store = temporaryStore();
let shim: Shim;
afterEach(async () => {
  await shim.stop();
  store.remove();
});

const strict = { versionMatchStrategy: 'Strict', versionFailureStrategy: 'Fail' };

async function restart(config: Record<string, unknown>): Promise<void> {
  await shim.stop();
  shim = await startShim({ file: store.file, config });
}

async function startOne(config: Record<string, unknown>, version?: string): Promise<string> {
  shim = await startShim({ file: store.file, config });
  const id = await shim.client.startNew('versioned', version === undefined ? {} : { version });
  if (version === undefined) await waitForStatus(shim.client, id, ['Running']);
  return id;
}

test('an instance has the default version or the version of its start', async () => {
  const id = await startOne({ defaultVersion: '2.0' });
  const older = await shim.client.startNew('versioned', { version: '1.5' });
  await shim.client.raiseEvent(id, 'go', 1);
  await shim.client.raiseEvent(older, 'go', 1);
  expect((await waitForStatus(shim.client, id)).output).toBe('2.0');
  expect((await waitForStatus(shim.client, older)).output).toBe('1.5');
});

test('Strict and Fail: an instance of another version fails at its next episode', async () => {
  const id = await startOne({ ...strict, defaultVersion: 'a' });
  await restart({ ...strict, defaultVersion: 'b' });
  await shim.client.raiseEvent(id, 'go', 1);
  const status = await waitForStatus(shim.client, id);
  expect(status.runtimeStatus).toBe('Failed');
  expect(status.output).toContain("instance version 'a', app version 'b'");
});

test('Strict and Reject: an instance of another version waits until an app of its version runs', async () => {
  const reject = { versionMatchStrategy: 'Strict', versionFailureStrategy: 'Reject' };
  const id = await startOne({ ...reject, defaultVersion: 'a' });
  await restart({ ...reject, defaultVersion: 'b' });
  await shim.client.raiseEvent(id, 'go', 1);
  await waitUntil(() => shim.logs.some((line) => line.includes('is not run (versionFailureStrategy Reject)')));
  expect((await shim.client.getStatus(id)).runtimeStatus).toBe('Running');
  await restart({ ...reject, defaultVersion: 'a' });
  expect((await waitForStatus(shim.client, id)).output).toBe('a');
});

test('CurrentOrOlder: a newer instance fails, an older one runs', async () => {
  const config = { versionMatchStrategy: 'CurrentOrOlder', versionFailureStrategy: 'Fail', defaultVersion: '1.10' };
  const newer = await startOne(config, '1.11');
  expect((await waitForStatus(shim.client, newer)).runtimeStatus).toBe('Failed');
  const older = await shim.client.startNew('versioned', { version: '1.9' });
  await shim.client.raiseEvent(older, 'go', 1);
  expect((await waitForStatus(shim.client, older)).output).toBe('1.9');
});

test('None: every version runs', async () => {
  const id = await startOne(
    { versionMatchStrategy: 'None', versionFailureStrategy: 'Fail', defaultVersion: '1' },
    '99',
  );
  await shim.client.raiseEvent(id, 'go', 1);
  expect((await waitForStatus(shim.client, id)).output).toBe('99');
});
