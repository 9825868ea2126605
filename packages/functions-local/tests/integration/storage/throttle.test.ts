/** Latency and throttling of the front, with the SDKs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createThrottle } from '../../../src/storage/index.ts';
import { type Fixture, refusalOf, startFixture } from './fixture.ts';

/** Calls that empty a bucket, which needs a day to refill. A slow machine does not affect the test. */
const HOURLY = { account: 100, queue: 2, partition: 2 };

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

describe('a client with a throttle', () => {
  it('answers 503 ServerBusy to calls above the limit, which have no effect, and counts them', async () => {
    const stopped = 0;
    const throttle = createThrottle(HOURLY, () => stopped);
    const busy = await fixture.add({ throttle });
    const queue = await busy.queue('throttled');
    await queue.sendMessage('first');
    expect(await refusalOf(queue.sendMessage('second'))).toMatchObject({ status: 503, code: 'ServerBusy' });
    const table = await busy.table('Throttled');
    const rows = ['a', 'b'].map((rowKey) => ['upsert', { partitionKey: 'p', rowKey }] as ['upsert', never]);
    await table.submitTransaction(rows);
    const third = table.upsertEntity({ partitionKey: 'p', rowKey: 'c' });
    expect(await refusalOf(third)).toMatchObject({ status: 503, code: 'ServerBusy' });
    await table.upsertEntity({ partitionKey: 'q', rowKey: 'c' });

    expect(throttle.counts).toMatchObject({ account: 0, queue: 1, partition: 1 });
    const direct = await fixture.direct.queue('throttled');
    expect((await direct.getProperties()).approximateMessagesCount).toBe(1);
  });

  it('shares the limits with another client of the same throttle', async () => {
    const throttle = createThrottle(HOURLY, () => 0);
    const [one, other] = await Promise.all([fixture.add({ throttle }), fixture.add({ throttle })]);
    const queue = await one.queue('shared');
    await queue.sendMessage('first');
    expect(await refusalOf(other.queue('shared'))).toMatchObject({ status: 503 });
  });
});

it('delays each call of a client', async () => {
  const slow = await fixture.add({ latencyMs: 300 });
  const start = performance.now();
  await slow.queue('slow');
  // Timers can be a millisecond early.
  expect(performance.now() - start).toBeGreaterThan(290);
});
