import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QueueServiceClient } from '@azure/storage-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, type BatchAnswer, deadLetters, finished, report, resume } from '../helpers/client.ts';
import { BATCHES, type BatchName, endOf } from './batches.ts';
import { bodyOf, upload } from './bring-into-states.ts';
import { buildUpgradeApp } from './build-app.ts';
import { loadBlobs } from './recording/blobs.ts';
import { loadMessages } from './recording/bus.ts';
import { type End, type RecordedBatch, type Recording, readRecording, recordedVersions } from './recording/files.ts';
import { loadHub } from './recording/hub.ts';
import { loadQueues } from './recording/queues.ts';
import { loadTables } from './recording/tables.ts';
import { type Host, hubFileIn, type Services, startServices } from './stack.ts';

/** Age that the recorded instants get: claims of uploads are over, and nothing has expired. */
const AGE_MS = 5 * 60_000;
/**
 * The service sets the timestamps of rows and messages when they are loaded. For the app, its clock is this much ahead, so
 * that the sweep repairs what it would repair after minutes. A call may be up to 15 minutes off.
 */
const AHEAD_MS = 14 * 60_000;
const PATIENCE = { timeout: 120_000, interval: 1_000 };

it('has a recording', () => {
  expect(recordedVersions()).not.toEqual([]);
});

describe.each(recordedVersions())('an app of %s with batches in every state, under the present code', (version) => {
  let folder: string;
  let recording: Recording;
  let services: Services;
  let host: Host;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-upgrade-'));
    recording = await readRecording(version);
    const app = buildUpgradeApp('upgrade-present');
    loadHub(hubFileIn(folder), recording['task-hub']);
    services = await startServices(folder, { storageClient: { clockOffsetMs: () => AHEAD_MS } });
    await load();
    host = await services.startHost(await app, 1);
  });
  afterAll(async () => {
    await services?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function load(): Promise<void> {
    const { recorded, tables, blobs, queues } = recording;
    const moveMs = Date.now() - AGE_MS - Date.parse(recorded.recordedAt);
    await loadBlobs(services.storage, blobs);
    await loadTables(services.storage, tables, moveMs);
    await loadQueues(services.storage, queues);
    await loadMessages(services.serviceBus, recording['service-bus']);
  }

  const batchOf = (name: BatchName): RecordedBatch => {
    const batch = recording.recorded.batches.find((each) => each.name === name);
    if (!batch) throw new Error(`Expected the batch ${name} in the recording of ${version}.`);
    return batch;
  };
  const sweep = async (): Promise<void> => {
    const answer = await host.api('sweep', { method: 'POST' });
    expect(answer.status).toBe(200);
  };

  /** Compares state, counts and report with what was recorded. */
  async function expectEnd(id: string, end: End): Promise<void> {
    const { state, counts } = (await ask(host, id)) as BatchAnswer;
    const { succeeded, dead, cancelled, count, sum } = end;
    expect({ state, counts }).toMatchObject({
      state: end.state,
      counts: { accepted: succeeded + dead + cancelled, succeeded, dead, cancelled, pending: 0 },
    });
    expect(await report(host, id)).toEqual(count === 0 ? {} : { all: { count, sum } });
  }

  it.each(['ended', 'dead', 'paused', 'waiting'] as const)('keeps the state of the batch %s', async (name) => {
    const { id, state } = batchOf(name);
    expect(await ask(host, id)).toMatchObject({ state });
  });

  it('finishes its interrupted batches exactly', async () => {
    const open = (['retrying', 'running', 'collecting', 'queued', 'cancelling', 'redriven', 'enqueueing'] as const).map(
      batchOf,
    );
    const states = async (): Promise<unknown> => {
      await sweep();
      return Promise.all(open.map(async ({ name, id }) => [name, (await ask(host, id))?.state]));
    };
    await expect.poll(states, PATIENCE).toEqual(open.map(({ name, end }) => [name, end.state]));
    for (const { id, end } of open) await expectEnd(id, end);
  });

  it.each(['paused', 'waiting'] as const)('finishes the batch %s exactly after a resume', async (name) => {
    const { id, end } = batchOf(name);
    expect(await ask(host, id)).toMatchObject({ state: 'paused' });
    expect((await resume(host, `batches/${id}`)).ok).toBe(true);
    await finished(host, id);
    await expectEnd(id, end);
  });

  it('accepts an interrupted upload with its key as the same batch', async () => {
    const { id, end } = batchOf('uploading');
    expect((await host.api(`batches/${id}`)).status).toBe(404);
    const answer = await upload(host, 'uploading', bodyOf(BATCHES.uploading.items));
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ id });
    await finished(host, id);
    await expectEnd(id, end);
  });

  it('answers a repeated upload with the batch that was accepted', async () => {
    const { id } = batchOf('ended');
    const answer = await upload(host, 'ended', bodyOf(BATCHES.ended.items));
    expect(answer.ok).toBe(true);
    expect(await answer.json()).toMatchObject({ id, state: 'completed' });
  });

  it('runs each item without an outcome once, and no other item', async () => {
    const calls = await services.calls();
    for (const { name, id, left } of recording.recorded.batches) {
      const numbers = calls.filter(({ batch }) => batch === id).map(({ n }) => n);
      // The intake puts references again that were in the queue already. Both may run; the first outcome counts.
      const compared = name === 'enqueueing' ? [...new Set(numbers)] : numbers;
      expect([name, compared.sort((a, b) => a - b)]).toEqual([name, left]);
    }
  });

  it('redrives dead letters', async () => {
    const { id, end } = batchOf('dead');
    await expectEnd(id, end);
    const reason = { reason: 'rejected', message: 'no such account' };
    expect(await deadLetters(host, id)).toMatchObject({ 2: reason, 7: reason });
    const body = JSON.stringify({ patch: { do: null } });
    expect((await host.api(`batches/${id}/dead-letters/redrive`, { method: 'POST', body })).status).toBe(202);
    await finished(host, id);
    await expectEnd(id, endOf(BATCHES.dead.items.map(({ n }) => ({ n }))));
  });

  it('leaves no message in a queue', async () => {
    const service = QueueServiceClient.fromConnectionString(services.storage);
    const depths = async (): Promise<unknown> => {
      const found: string[] = [];
      for await (const { name } of service.listQueues())
        if ((await service.getQueueClient(name).getProperties()).approximateMessagesCount !== 0) found.push(name);
      return found;
    };
    await expect.poll(depths, PATIENCE).toEqual([]);
  });
});
