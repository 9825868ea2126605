import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { reportSchema } from '../../../shared/http/batches/downloads/get-report.ts';
import { resultsManifestSchema } from '../../../shared/http/batches/downloads/get-results.ts';
import { batchListSchema } from '../../../shared/http/batches/list-batches.ts';
import { batchViewSchema } from '../../../shared/http/batches/schemas.ts';
import { costSchema } from '../../../shared/http/cost/schemas.ts';
import { deadLetterGroupsSchema } from '../../../shared/http/dead-letters/schemas.ts';
import { healthSchema } from '../../../shared/http/health/health.ts';
import { queueListSchema, queueViewSchema } from '../../../shared/http/queues/schemas.ts';
import { finished, resume, submit } from '../../helpers/client.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const ITEMS = 6_000;
let stack: TestStack;
let batch: string;

const records = (count: number): string =>
  Array.from({ length: count }, (_, n) =>
    JSON.stringify({
      ...{ id: `t${n}`, account: `a${n % 7}`, kind: 'usage', product: 'storage', quantity: n === 4_321 ? -1 : 1 },
      ...{ unitPrice: '0.5', currency: 'EUR', time: '2026-01-01T00:00:00Z' },
    }),
  ).join('\n');

beforeAll(async () => {
  stack = await startStack();
  batch = (await submit(stack, records(ITEMS))).id;
  await finished(stack, batch);
});
afterAll(() => stack?.stop());

const json = async (path: string): Promise<unknown> => (await stack.api(path)).json();

describe('the API on the local stack', () => {
  it('shows the batch with its receipt', async () => {
    const view = batchViewSchema.parse(await json(`batches/${batch}`));
    expect(view.counts).toMatchObject({ accepted: ITEMS, succeeded: ITEMS - 1, dead: 1, pending: 0 });
    expect(view.receipt.comparison.messagePerItem.timesOurs).toBeGreaterThan(10);
    expect(batchListSchema.parse(await json('batches')).batches.map(({ id }) => id)).toEqual([batch]);
  });

  it('streams results over several pages, and returns their positions', async () => {
    const first = await stack.api(`batches/${batch}/results?limit=1`);
    const path = /<\/api\/([^>]+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    const texts = [await first.text(), await (await stack.api(path)).text()];
    const ids = texts
      .join('')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual(Array.from({ length: ITEMS }, (_, n) => `t${n}`).filter((id) => id !== 't4321'));
    const { blobs } = resultsManifestSchema.parse(await json(`batches/${batch}/results?manifest`));
    expect(blobs.reduce((sum, { items }) => sum + items, 0)).toBe(ITEMS - 1);
    const csv = await (await stack.api(`batches/${batch}/results?format=csv`)).text();
    expect(csv.trim().split('\r\n')).toHaveLength(ITEMS);
  });

  it('returns one report and the dead letter with its line', async () => {
    const report = reportSchema.parse(await json(`batches/${batch}/report?format=json`));
    expect([report.rows, report.counts.dead]).toEqual([7, 1]);
    const { groups } = deadLetterGroupsSchema.parse(await json(`batches/${batch}/dead-letters`));
    expect(groups.map(({ count, example }) => [count, example.line])).toEqual([[1, 4_322]]);
  });

  it('pauses a queue, and drains it when it is resumed', async () => {
    await stack.api('queues/billing-normal-0/pause', { method: 'POST', body: '{"reason":"test"}' });
    const queue = async () => queueViewSchema.parse(await json('queues/billing-normal-0'));
    const { wakes } = await queue();
    const { id } = await submit(stack, records(10));
    // The wake event of the upload has arrived, and has started no drain.
    await vi.waitFor(async () => expect((await queue()).wakes).toBeGreaterThan(wakes), {
      timeout: 20_000,
      interval: 200,
    });
    expect(batchViewSchema.parse(await json(`batches/${id}`)).counts.pending).toBe(10);
    const { queues } = queueListSchema.parse(await json('queues?fresh'));
    expect(queues.find(({ queue }) => queue === 'billing-normal-0')).toMatchObject({ depth: 1, status: 'idle' });
    const resumed = await resume(stack, 'queues/billing-normal-0');
    expect(queueViewSchema.parse(await resumed.json()).paused).toBeNull();
    expect((await finished(stack, id)).state).toBe('completed');
  });

  it('returns the cost, its health and its own description', async () => {
    const cost = costSchema.parse(await json('cost'));
    expect([cost.day.batches, cost.day.items]).toEqual([2, ITEMS + 10]);
    const open = await fetch(`${stack.url}/api/health?deep`);
    expect(healthSchema.parse(await open.json()).status).toBe('ok');
    const document = (await (await fetch(`${stack.url}/api/openapi.json`)).json()) as { openapi: string };
    expect(document.openapi).toBe('3.1.0');
  });

  it.each(['batches', 'queues', 'cost', 'queues/billing-normal-0/policy'])('requires a key at %s', async (path) => {
    expect((await fetch(`${stack.url}/api/${path}`)).status).toBe(401);
  });
});
