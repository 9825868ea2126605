import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, queueOf, report, resume, send } from '../../helpers/client.ts';
import { buildOddApp } from '../../helpers/odd-app.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const SHORT = { SLUICE_VISIBILITY_SECONDS: '10', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };

describe('an outage of the service that the handler calls', () => {
  let stack: TestStack;
  let downstream: Server;
  let status = 200;
  let url = '';
  beforeAll(async () => {
    downstream = createServer((_request, response) => response.writeHead(status).end());
    await new Promise<void>((resolve) => downstream.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(downstream.address() as AddressInfo).port}/`;
    stack = await startStack({ appFolder: await buildOddApp('odd-outage'), settings: SHORT, instances: 3 });
  });
  afterAll(async () => {
    downstream?.close();
    await stack?.stop();
  });

  it('opens the circuit, charges no attempts, and the drain continues by itself after the outage', async () => {
    status = 503;
    const items = Array.from({ length: 500 }, (_, n) => ({ n, do: 'call', url }));
    const { id } = await send(stack, 'outage', items);

    await expect
      .poll(async () => (await queueOf(stack, 'outage-normal-0'))?.paused)
      .toMatchObject({ by: 'circuit', reason: expect.stringMatching(/items failed/) });
    await sleep(12_000);
    status = 200;
    const batch = await finished(stack, id, 90);

    // Much more time than the back-off of three attempts has passed, and no item has used up its attempts.
    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 500, succeeded: 500, dead: 0 } });
    expect(await report(stack, id)).toEqual({ all: { count: 500, sum: (500 * 499) / 2 } });
    expect((await queueOf(stack, 'outage-normal-0'))?.paused ?? undefined).toBeUndefined();
  });

  it('an operator pauses a queue and resumes it', async () => {
    const pause = await stack.api('queues/outage-normal-0/pause', {
      method: 'POST',
      body: JSON.stringify({ reason: 'month end' }),
      headers: { 'content-type': 'application/json' },
    });
    expect(pause.status).toBe(200);
    const { id } = await send(stack, 'outage', [{ n: 1 }, { n: 2 }]);
    await sleep(1_500);
    const waiting = (await (await stack.api(`batches/${id}`)).json()) as { counts: { pending: number } };
    expect(waiting.counts.pending).toBe(2);
    expect((await queueOf(stack, 'outage-normal-0'))?.paused).toMatchObject({ by: 'operator', reason: 'month end' });

    await resume(stack, 'queues/outage-normal-0');

    expect((await finished(stack, id)).counts.succeeded).toBe(2);
  });
});
