import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Batch } from '../../local/batch/api.ts';
import type { QueueDetails, QueueView } from '../../shared/http/queues/schemas.ts';
import { startStack, type TestStack } from '../helpers/stack.ts';

// A message that a host had received before it was killed is invisible for this long; the default would be five
// minutes.
const SHORT = { SLUICE_VISIBILITY_SECONDS: '10', SLUICE_SLICE_SECONDS: '3' };

let stack: TestStack;
beforeAll(async () => {
  stack = await startStack({ settings: SHORT });
});
afterAll(() => stack.stop());

const line = (id: number): string =>
  JSON.stringify({
    id: `tx-${id}`,
    account: 'acct-1',
    product: 'support-seat',
    quantity: '1',
    unitPrice: '2.50',
    currency: 'EUR',
    time: '2025-03-01T00:00:00Z',
  });

async function submit(items: number): Promise<Batch> {
  const body = Array.from({ length: items }, (_, id) => line(id)).join('\n');
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await stack.api('workloads/billing/batches', { method: 'POST', headers, body });
  expect(answer.status).toBe(202);
  return (await answer.json()) as Batch;
}

async function stateOf({ id }: Batch): Promise<string> {
  return ((await (await stack.api(`batches/${id}`)).json()) as Batch).state;
}

describe('the local stack', () => {
  it('has the containers that a deployment creates', async () => {
    const names: string[] = [];
    for await (const { name } of BlobServiceClient.fromConnectionString(stack.storage).listContainers())
      names.push(name);
    expect(names).toEqual(expect.arrayContaining(['inbox', 'inbox-done', 'payloads', 'reports', 'results']));
  });

  it('requires a key', async () => {
    expect((await stack.api('queues', { headers: { 'x-functions-key': 'none' } })).status).toBe(401);
    expect((await stack.api('queues')).status).toBe(200);
  });

  it('processes a batch from upload to report', async () => {
    const batch = await submit(100);
    await expect.poll(() => stateOf(batch), { interval: 200 }).toBe('completed');
    expect(await (await stack.api(`batches/${batch.id}/report`)).text()).toBe(
      '{"key":"acct-1|EUR","value":{"lines":100,"net":"250.00","tax":"48.00","gross":"298.00"}}\n',
    );
  });

  it('recorded why the wave of that batch had its number of tasks, from its plan through the orchestration to its end', async () => {
    const first = async (): Promise<unknown> => {
      const { queues } = (await (await stack.api('queues')).json()) as { queues: QueueView[] };
      const { queue } = queues.find(({ kind, total }) => kind === 'items' && total > 0) ?? { queue: 'none' };
      return ((await (await stack.api(`queues/${queue}`)).json()) as QueueDetails).waves[0];
    };
    const wave = { tasks: 1, depth: 1, bound: 'depth', late: false, done: 1, items: 100, throttled: 0 };
    await expect.poll(first, { interval: 200 }).toMatchObject(wave);
  });

  it('continues at the same addresses after all of its parts were stopped', async () => {
    const batch = await submit(100);
    await Promise.all([stack.killHosts(), stack.killBroker(), stack.stopAzurite()]);
    await stack.restartAzurite();
    await stack.restartBroker();
    await stack.restartHosts();
    await expect.poll(() => stateOf(batch), { timeout: 60_000, interval: 500 }).toBe('completed');
  });
});
