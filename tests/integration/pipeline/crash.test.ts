import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTAINERS, outcomeBlobName } from '../../../shared/contract/names.ts';
import { type BatchAnswer, finished, queueOf, report, resume, submit } from '../../helpers/client.ts';
import { ndjson, totalsOf, transactions } from '../../helpers/data/transactions.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

/** Leases and slices that are short enough for a test to wait until one expires. */
const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };
const QUEUE = 'billing-normal-0';

describe('work survives crashes', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ settings: SHORT, instances: 3 });
  });
  afterAll(() => stack?.stop());

  async function countBlobs(container: string, prefix: string): Promise<number> {
    const client = BlobServiceClient.fromConnectionString(stack.storage).getContainerClient(container);
    let count = 0;
    for await (const _blob of client.listBlobsFlat({ prefix })) count += 1;
    return count;
  }

  /** Checks what is stored of a finished batch: an outcome for each chunk, and one report. */
  const endOf = async ({ id }: BatchAnswer) => ({
    outcomes: await countBlobs(CONTAINERS.results, outcomeBlobName('billing', id, '').replace(/[^/]*$/, '')),
    reports: await countBlobs(CONTAINERS.reports, `${id}/`),
  });
  const oneEnd = ({ chunks }: BatchAnswer) => ({ outcomes: chunks.total, reports: 1 });

  /** How often the end of a batch was published: once if no process crashes, otherwise at least once. */
  const announcements = async ({ id }: BatchAnswer): Promise<number> =>
    (await stack.hostLog()).split(`"event":"batch-completed","batch":"${id}"`).length - 1;
  const announcedOnce = (batch: BatchAnswer): Promise<void> => expect.poll(() => announcements(batch)).toBe(1);

  it('redelivers the message of a crashed consumer to another one after the visibility timeout', async () => {
    // Prepare: consumer 1 receives the only reference of a paused queue, and does nothing more.
    const queue = QueueServiceClient.fromConnectionString(stack.storage).getQueueClient(QUEUE);
    await submit(stack, ndjson(transactions(1))).then(({ id }) => finished(stack, id));
    const paused = await stack.api(`queues/${QUEUE}/pause`, { method: 'POST', body: '{"reason":"test"}' });
    expect(paused.status).toBe(200);
    await expect.poll(async () => (await queueOf(stack, QUEUE))?.status).toBe('idle');
    const { id } = await submit(stack, ndjson(transactions(3)));
    const taken = await queue.receiveMessages({ numberOfMessages: 32, visibilityTimeout: 2 });
    expect(taken.receivedMessageItems).toHaveLength(1);

    // Act: consumer 2 is the app.
    await resume(stack, `queues/${QUEUE}`);
    const batch = await finished(stack, id);

    // Assess
    expect(batch).toMatchObject({
      state: 'completed',
      counts: { accepted: 3, succeeded: 3, pending: 0, duplicatesSeen: 0 },
      chunks: { total: 1, done: 1 },
    });
    expect(await report(stack, id)).toEqual({ 'acme|EUR': totalsOf(3) });
    expect(await endOf(batch)).toEqual({ outcomes: 1, reports: 1 });
    await announcedOnce(batch);
  });

  it('produces an exact report although instances are killed one after the other during the drain', async () => {
    const { id } = await submit(stack, ndjson(transactions(60_000)));

    for (const instance of stack.instances) {
      await sleep(700);
      await instance.kill();
      await instance.start();
    }
    const batch = await finished(stack, id, 90);

    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 60_000, succeeded: 60_000, pending: 0 } });
    expect(batch.chunks.done).toBe(batch.chunks.total);
    expect(await report(stack, id)).toEqual({ 'acme|EUR': totalsOf(60_000) });
    expect(await endOf(batch)).toEqual(oneEnd(batch));
    await expect.poll(() => announcements(batch)).toBeGreaterThanOrEqual(1);
  });

  it('finishes a batch that is uploaded while the broker is unavailable', async () => {
    await stack.killBroker();

    const { id } = await submit(stack, ndjson(transactions(2)));

    await stack.restartBroker();
    const batch = await finished(stack, id);
    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 2, succeeded: 2, pending: 0 } });
    expect(await report(stack, id)).toEqual({ 'acme|EUR': totalsOf(2) });
    expect(await endOf(batch)).toEqual({ outcomes: 1, reports: 1 });
    await announcedOnce(batch);
  });

  it('starts one drain per queue at a time for many simultaneous batches, and reports each of them', async () => {
    const before = await idleGeneration();
    const batches = await Promise.all(Array.from({ length: 20 }, () => submit(stack, ndjson(transactions(5)))));

    const all = await Promise.all(batches.map(({ id }) => finished(stack, id)));

    for (const batch of all) {
      expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 5, succeeded: 5, duplicatesSeen: 0 } });
      expect(await report(stack, batch.id)).toEqual({ 'acme|EUR': totalsOf(5) });
      expect(await endOf(batch)).toEqual({ outcomes: 1, reports: 1 });
      await announcedOnce(batch);
    }
    // Each drain that was started has ended exactly once.
    const after = await idleGeneration();
    const started = Array.from({ length: after - before }, (_, index) => before + index + 1);
    expect(started.length).toBeGreaterThan(0);
    await expect.poll(async () => (await endedDrains()).filter((ended) => ended > before)).toEqual(started);
  });

  /** Returns the gate's generation as soon as no drain holds the gate. */
  async function idleGeneration(): Promise<number> {
    const gates = TableClient.fromConnectionString(stack.storage, 'gates', { allowInsecureConnection: true });
    const gate = () => gates.getEntity('gates', `gate:${QUEUE}`);
    await expect.poll(async () => (await gate()).status).toBe('idle');
    return Number((await gate()).generation);
  }

  /** Generations of the queue's drains that have ended, in order. */
  async function endedDrains(): Promise<number[]> {
    const lines = (await stack.hostLog()).matchAll(
      /"event":"drain-ended","queue":"billing-normal-0","generation":(\d+)/g,
    );
    return [...lines].map(([, generation]) => Number(generation)).sort((a, b) => a - b);
  }
});
