import { join } from 'node:path';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { freePort, launchHost, type RunningProcess } from 'functions-local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sluiceStack } from '../../../demo/stack.ts';
import { entities } from '../../../local/entities.ts';
import type { InboxFileView, InboxList } from '../../../shared/http/inbox/schemas.ts';
import { finished, queueOf, send } from '../../helpers/client.ts';
import { buildOddApp } from '../../helpers/odd-app.ts';
import { apiOf, startStack, type TestStack } from '../../helpers/stack.ts';
import { registry } from './app/registry.ts';

const SETTINGS = { SLUICE_SLICE_SECONDS: '2', SLUICE_INBOX_SCHEDULE: '* * * * * *', SLUICE_POOL: 'default' };

describe('two pools, one app each', () => {
  let stack: TestStack;
  let second: RunningProcess<string>;
  /** The API of the second app. */
  let other: TestStack['api'];
  let container: (name: string) => ContainerClient;
  beforeAll(async () => {
    const appFolder = await buildOddApp('odd-pools');
    stack = await startStack({ appFolder, settings: SETTINGS, entities: entities(registry) });
    const port = await freePort();
    const folder = join(stack.folder, 'other-pool');
    const { storage, serviceBus } = stack;
    const settings = {
      ...sluiceStack(folder).settings({ storage, serviceBus }),
      ...SETTINGS,
      SLUICE_POOL: 'other',
      SLUICE_SUBSCRIPTION: 'wake-other',
      SLUICE_TASK_HUB: 'other',
    };
    second = await launchHost(folder, { appFolder, port, settings, enforceKeys: false });
    other = apiOf({ url: second.ready, keys: stack.keys });
    const blobs = BlobServiceClient.fromConnectionString(storage);
    container = (name) => blobs.getContainerClient(name);
  });
  afterAll(async () => {
    await second?.stop();
    await stack?.stop();
  });

  it('the work of one does not wait for the other, which is overloaded', async () => {
    const busy = await send(
      stack,
      'heavy',
      Array.from({ length: 80 }, (_, n) => ({ n, do: 'wait', ms: 400 })),
    );
    await expect.poll(async () => (await queueOf(stack, 'heavy-normal-0'))?.status).toBe('draining');

    const { id } = await send(stack, 'other', [{ n: 1 }, { n: 2 }]);
    const other = await finished(stack, id, 30);

    const still = (await (await stack.api(`batches/${busy.id}`)).json()) as { counts: { pending: number } };
    expect(other.counts).toMatchObject({ accepted: 2, succeeded: 2 });
    expect(still.counts.pending).toBeGreaterThan(0);
    expect((await finished(stack, busy.id, 90)).counts.succeeded).toBe(80);
  });

  const drop = (name: string, content: string) =>
    container('inbox').getBlockBlobClient(name).upload(content, Buffer.byteLength(content));
  const fileOf = async (api: TestStack['api'], name: string): Promise<InboxFileView | undefined> => {
    const answer = await api(`inbox?name=${encodeURIComponent(name)}`);
    return ((await answer.json()) as InboxList).files[0];
  };
  const stateOf = async (api: TestStack['api'], name: string) => (await fileOf(api, name))?.state;

  it('each take the files of their own workloads, and both show all of them', async () => {
    const names = ['odd/a.ndjson', 'other/a.ndjson'];
    for (const name of names) await drop(name, '{"n":1}\n{"n":2}\n');

    for (const name of names) {
      for (const api of [stack.api, other]) await expect.poll(() => stateOf(api, name)).toBe('done');
      const batch = await finished(stack, (await fileOf(other, name))?.batch ?? '', 30);
      expect(batch).toMatchObject({ source: { kind: 'inbox', name }, counts: { accepted: 2, succeeded: 2 } });
    }
  });

  it('reject the files of their own workloads, and each can retry or delete those of both', async () => {
    const names = ['odd/bad.ndjson', 'other/bad.ndjson'];
    for (const name of names) await drop(name, '{"n":');

    for (const name of names) {
      for (const api of [stack.api, other]) await expect.poll(() => stateOf(api, name)).toBe('rejected');
    }
    const { length } = ((await (await other('inbox?state=rejected')).json()) as InboxList).files;
    expect(length).toBe(2);

    const [own = '', foreign = ''] = names;
    const headers = { 'x-functions-key': stack.keys.master };
    const { since } = (await fileOf(other, foreign)) as InboxFileView;
    const retried = { method: 'POST', headers, body: JSON.stringify({ name: foreign }) };
    expect((await stack.api('inbox/retry', retried)).status).toBe(202);
    // The pool of its workload judges it again, whichever app received the request.
    await expect
      .poll(async () => (await fileOf(other, foreign)) ?? {})
      .toMatchObject({ state: 'rejected', since: expect.not.stringContaining(since) });
    expect((await other(`inbox?name=${own}`, { method: 'DELETE' })).status).toBe(204);
    expect(await fileOf(stack.api, own)).toBeUndefined();
  });
});
