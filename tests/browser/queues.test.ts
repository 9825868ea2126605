import { TableClient } from '@azure/data-tables';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { writeProgress } from '../../shared/batches/progress/progress-rows.ts';
import type { QueueView } from '../../shared/http/queues/schemas.ts';
import { openTable } from '../../shared/storage/table.ts';
import { finished, resume, send } from '../helpers/client.ts';
import { ndjson } from '../helpers/data/transactions.ts';
import { uploadByDrop } from './support/dashboard.ts';
import { hiddenControls, WIDTHS } from './support/outside.ts';
import { goodRecords } from './support/records.ts';
import { QUIET } from './support/stack.ts';
import { useDashboard } from './support/use-dashboard.ts';

const FINISHED = 60_000;
/** Widths of which a picture is kept. */
const PICTURED = [360, 900, 1440];
/** Sales for the workload payouts. */
const SALES = Array.from({ length: 5 }, (_, n) => ({
  ...{ id: `sale-${n}`, work: 'work-1', amount: '12.99', currency: 'EUR', royalty: '10', time: '2025-03-01T12:00:00Z' },
  authors: [{ author: 'author-1', share: '100' }],
}));
const dashboard = useDashboard();
let page: Page;

const heading = (): Locator => page.getByRole('heading', { level: 1 });
const rowOf = (queue: string): Locator => page.locator('tr', { hasText: queue });
const dialog = (): Locator => page.getByRole('dialog');

/** Opens the page with the queues of the app, each of them changed. */
async function useQueues(change: (queue: QueueView) => Partial<QueueView>): Promise<void> {
  page = await dashboard.open('batches');
  await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
  await page.route('**/api/queues', async (route) => {
    const { queues } = (await (await route.fetch()).json()) as { queues: QueueView[] };
    await route.fulfill({ json: { queues: queues.map((queue) => ({ ...queue, ...change(queue) })) } });
  });
  await page.getByRole('link', { name: 'Queues' }).click();
}

describe('queues', () => {
  it('are empty only when each depth is known, and idle only when nothing blocks them', async () => {
    const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
    const MINUTE = 60_000;
    let changes: () => Partial<QueueView> = () => ({});
    await useQueues(({ queue }) => {
      const idle = {
        depth: 0,
        depthAt: ago(MINUTE),
        status: 'idle',
        itemsPerSecond: 900,
        active: 0,
        total: 5,
      } as const;
      return { ...idle, ...(queue === 'billing-high-0' ? changes() : {}) };
    });
    const depth = page.locator('.chart').first();
    await depth.getByText('All queues are empty').waitFor();
    // The rate of the last wave is not a current rate, and the tasks of all waves are not current tasks.
    expect(await page.locator('td[data-label="Items/s"], td[data-label="Tasks"]').allTextContents()).toEqual(
      Array(await page.locator('tbody tr').count())
        .fill(['–', '–'])
        .flat(),
    );
    expect(await page.locator('.stats').textContent()).toMatch(/Items per second–/);

    for (const unknown of [{ depthAt: null }, { depthAt: ago(3 * MINUTE) }]) {
      changes = () => ({ ...unknown, paused: { by: 'operator', reason: 'ledger is down', since: ago(0) } });
      await page.reload();
      await depth.getByText('Some depths are not known at present').waitFor();
    }
    changes = () => ({
      ...{ depth: 40, depthAt: ago(5_000), backlog: { batches: 40, items: 12_000 } },
      paused: { by: 'operator', reason: 'ledger is down', since: ago(MINUTE) },
    });
    await page.reload();
    const paused = rowOf('billing-high-0');
    await paused.getByText(/40 messages\s*measured \d+(\.\d)? s ago/).waitFor();
    await paused.getByRole('link', { name: '12,000 items in 40 batches' }).waitFor();
    expect(await paused.locator('.tag').allTextContents()).toEqual(['Paused']);
    expect(await depth.locator('.chart-quiet').count()).toBe(0);
    // A queue that waits for an operator does not change, so it is not polled every 3 seconds.
    await page.locator('.freshness', { hasText: 'every 10 s' }).waitFor();
    await dashboard.shot(page, 'queues-paused-backlog');
  });

  it('have every control inside the panel at every width, also with long names and reasons', async () => {
    const reason = 'The ledger refuses bookings of this month until it is closed: ask the accounting team';
    await useQueues(({ queue }) => ({
      ...{
        queue: `${queue}-of-the-accounting-team-in-europe`,
        generation: 1_234,
        depth: 1_234_567,
        itemsPerSecond: 123_456,
      },
      ...{ status: 'draining', active: 1_000, missedWakes: 3, depthAt: new Date().toISOString() },
      backlog: { batches: 12_345, items: 123_456_789 },
      load: { instances: 120, cpu: 0.993, eventLoop: 0.412, responseMs: 1_240, latencyMs: 8_000_000 },
      paused: queue.endsWith('normal-0') ? { by: 'circuit', reason, since: new Date().toISOString() } : null,
      notes: [{ tone: 'warn', text: `paused by the circuit: ${reason}` }],
    }));
    await page.getByText(reason).first().waitFor();
    for (const width of WIDTHS) {
      expect([width, await hiddenControls(page, width)]).toEqual([width, []]);
      await page.setViewportSize({ width, height: 800 });
      if (PICTURED.includes(width)) await dashboard.shot(page, `queues-long-${width}`);
    }
  });

  it('are paused with a reason, block a batch that is then cancelled, and are resumed', async () => {
    page = await dashboard.open('queues');
    const queue = rowOf('billing-high-0');
    await queue.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason').fill('ledger is down');
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await queue.getByText('ledger is down').waitFor();
    await dashboard.shot(page, 'queues-paused');

    await page.getByRole('link', { name: 'Upload' }).click();
    await page.getByLabel('Lane').selectOption('high');
    const id = await uploadByDrop(page, { name: 'held.ndjson', text: ndjson(goodRecords(20)) });
    await page.getByRole('link', { name: 'Open the batch of 20 items' }).click();
    const notice = page.locator('.why li', { hasText: 'blocked by queue billing-high-0' });
    await notice.getByText(/paused by an operator: ledger is down/).waitFor();
    await heading().getByText('Queued, blocked').waitFor();
    await page.locator('.pace').getByText('Blocked').waitFor();
    await dashboard.shot(page, 'batch-blocked');
    const batches = TableClient.fromConnectionString(dashboard.stack.storage, 'batches', {
      allowInsecureConnection: true,
    });
    await writeProgress(
      openTable(batches),
      { batch: id, processId: 'a' },
      {
        ...{ chunks: 1, items: 20, ended: 5, inFlight: 12, failing: 2, error: 'Error: ledger is slow' },
        at: new Date().toISOString(),
      },
    );
    await page.getByText(/1 running chunk at .*: 5 of 20 items done, 12 in flight, 2 failing/).waitFor();
    await page.getByText('Error: ledger is slow').waitFor();
    await dashboard.shot(page, 'batch-progress');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason').fill('check first');
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/paused by an operator since .*: check first/).waitFor();
    await dashboard.shot(page, 'batch-paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await notice.getByText(/paused by an operator: ledger is down/).waitFor();
    await page.getByRole('button', { name: 'Cancel batch' }).click();
    await dialog().getByRole('button', { name: 'Cancel batch' }).click();
    await heading().getByText('Cancelled').waitFor({ timeout: FINISHED });
    expect(await page.locator('.law').textContent()).toMatch(/20[\s\S]*=\s*20/);
    await dashboard.shot(page, 'batch-cancelled');

    await page.getByRole('link', { name: 'Batches', exact: true }).click();
    await page.getByLabel('State').selectOption('cancelled');
    const rows = page.locator('tbody tr');
    await rows.filter({ hasText: id.slice(-12) }).waitFor();
    await rows.filter({ hasNotText: 'Cancelled' }).first().waitFor({ state: 'hidden' });

    await page.getByRole('link', { name: 'Queues' }).click();
    // Another operator pauses it again while the dialog is open.
    await queue.getByRole('button', { name: 'Resume' }).click();
    await dialog().getByText('ledger is down').waitFor();
    const again = { reason: 'not before noon', forSeconds: 3_600 };
    await dashboard.stack.api('queues/billing-high-0/pause', { method: 'POST', body: JSON.stringify(again) });
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await dialog()
      .getByText(/has another pause now: .* by operator: not before noon/)
      .waitFor();
    await dialog().getByRole('button', { name: 'Keep as it is' }).click();
    await queue.getByText(/until .*: not before noon/).waitFor();
    await queue.getByRole('button', { name: 'Resume' }).click();
    await dialog().getByText('not before noon').waitFor();
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await queue.getByRole('button', { name: 'Pause' }).waitFor();

    await queue.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Ends').selectOption('after 1 hour');
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await queue.getByText(/paused by an operator since .* until /).waitFor();
    await resume(dashboard.stack, 'queues/billing-high-0');
  });

  it('are drained immediately, unless they are paused, and show the load of the last wave', async () => {
    const { stack } = dashboard;
    await stack.api('queues/payouts-bulk-0/pause', { method: 'POST', body: '{"reason":"look"}' });
    const { id } = await send(stack, 'payouts', SALES, '?lane=high');
    page = await dashboard.open('queues');
    await rowOf(QUIET).getByRole('button', { name: 'Drain now' }).click();
    await page.getByText(`${QUIET}: a drain runs.`).waitFor();
    await rowOf('billing-bulk-0').getByRole('button', { name: 'Drain now' }).click();
    await page.getByText('billing-bulk-0: nothing waits, so no drain was started.').waitFor();
    expect(await rowOf('payouts-bulk-0').getByRole('button', { name: 'Drain now' }).isDisabled()).toBe(true);
    await resume(stack, 'queues/payouts-bulk-0');
    await finished(stack, id);
    for (const figure of [/1 instance/, /CPU .+%/, /event loop .+%/, /storage [\d.]+ ms/, /oldest work \d/])
      await rowOf(QUIET).getByText(figure).waitFor();
    await dashboard.shot(page, 'queues-load');
  });

  it('are cleared after they are paused and their name is typed, and again while messages are left', async () => {
    const { stack } = dashboard;
    const name = 'payouts-bulk-0';
    page = await dashboard.open('queues');
    await page.getByRole('link', { name }).click();
    const clear = page.getByRole('button', { name: 'Clear' });
    await clear.waitFor();
    expect(await clear.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Pause' }).click();
    await dialog().getByRole('button', { name: 'Pause' }).click();
    const sent = await Promise.all([1, 2].map(() => send(stack, 'payouts', SALES, '?lane=bulk')));
    await page.getByRole('button', { name: 'Clear', disabled: false }).click();
    const submit = dialog().getByRole('button', { name: /^Clear (queue|again)$/ });
    const typed = dialog().getByLabel(/^Type the name/);
    await typed.fill('payouts-high-0');
    expect(await submit.isDisabled()).toBe(true);
    await typed.fill(name);
    await dashboard.shot(page, 'queue-clear');
    // Messages are left only if batches are accepted at the same moment, so this number is invented.
    const url = `**/api/queues/${name}/clear`;
    await page.route(url, async (route) => {
      const answer = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...answer, left: 3 } });
    });
    await submit.click();
    await dialog().getByText('2 batches cancelled, 2 messages deleted, 3 messages left').waitFor();
    await page.unroute(url);
    await submit.click();
    await dialog().getByText('2 batches cancelled, 2 messages deleted, nothing left.').waitFor();
    expect(await submit.count()).toBe(0);
    await dashboard.shot(page, 'queue-cleared');
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await resume(stack, `queues/${name}`);

    const id = sent[0]?.id ?? '';
    await finished(stack, id);
    await page.goto(`${stack.url}/api/dashboard#/batches/${id}/items`);
    await page.getByRole('button', { name: `Cancelled ${SALES.length}` }).click();
    await page
      .locator('tbody tr')
      .getByText('Cancelled')
      .nth(SALES.length - 1)
      .waitFor();
    await page.getByRole('button', { name: 'Pending 0' }).click();
    await page.getByText('No item is pending').waitFor();
  });
});
