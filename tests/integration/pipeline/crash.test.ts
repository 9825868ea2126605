import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { report, settled, submit } from '../../helpers/client.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';
import { ndjson, totalsOf, transactions } from '../../helpers/transactions.ts';

/** Leases and slices short enough that a test can wait for one to run out. */
const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };

describe('work survives those who do it', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ settings: SHORT });
  });
  afterAll(() => stack?.stop());

  it('a message taken by a consumer that dies comes to another one after the visibility timeout', async () => {
    // Prepare: with the host away, consumer 1 takes the only reference, and is never heard of again.
    const queue = QueueServiceClient.fromConnectionString(stack.storage).getQueueClient('billing-normal-0');
    await submit(stack, ndjson(transactions(1))).then(({ id }) => settled(stack, id));
    await stack.killBroker();
    const { id } = await submit(stack, ndjson(transactions(3)));
    const taken = await queue.receiveMessages({ numberOfMessages: 1, visibilityTimeout: 2 });

    // Act: consumer 2 is the app, woken when the topic is back.
    await stack.restartBroker();
    const batch = await settled(stack, id);

    // Assess
    expect(taken.receivedMessageItems.length).toBeLessThanOrEqual(1);
    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 3, succeeded: 3, pending: 0 } });
    expect(await report(stack, id)).toEqual({ 'acme|EUR': totalsOf(3) });
  });

  it('a host killed in mid-drain, again and again, leaves an exact report', async () => {
    const { id } = await submit(stack, ndjson(transactions(60_000)));

    for (let kill = 0; kill < 3; kill += 1) {
      await sleep(700);
      await stack.killHost();
      await stack.restartHost();
    }
    const batch = await settled(stack, id, 90);

    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 60_000, succeeded: 60_000, pending: 0 } });
    expect(await report(stack, id)).toEqual({ 'acme|EUR': totalsOf(60_000) });
  });

  it('a broker that is away at the upload does not keep the batch waiting', async () => {
    await stack.killBroker();

    const { id } = await submit(stack, ndjson(transactions(2)));

    await stack.restartBroker();
    expect((await settled(stack, id)).counts.succeeded).toBe(2);
  });

  it('many batches at once start one drain a queue at a time, and every one is reported', async () => {
    const batches = await Promise.all(Array.from({ length: 20 }, () => submit(stack, ndjson(transactions(5)))));

    const all = await Promise.all(batches.map(({ id }) => settled(stack, id)));

    expect(all.map(({ counts }) => counts.succeeded)).toEqual(all.map(() => 5));
    const gates = TableClient.fromConnectionString(stack.storage, 'gates', { allowInsecureConnection: true });
    const gate = await gates.getEntity('gates', 'gate:billing-normal-0');
    const starts =
      (await stack.hostLog()).match(/"event":"drain-ended","queue":"billing-normal-0","generation":\d+/g) ?? [];
    expect(new Set(starts).size).toBe(starts.length);
    expect(starts.length).toBeLessThanOrEqual(Number(gate.generation));
  });
});
