import { readFile } from 'node:fs/promises';
import { TableClient } from '@azure/data-tables';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeProgress } from '../../shared/batches/progress-rows.ts';
import { openTable } from '../../shared/storage/table.ts';
import { ndjson } from '../helpers/transactions.ts';
import { type Dashboard, dropFile, startDashboard, uploadByDrop } from './dashboard.ts';
import { goodRecords, usage } from './records.ts';

const FINISHED = 60_000;
let dashboard: Dashboard;
let page: Page;

beforeAll(async () => {
  dashboard = await startDashboard();
});
afterEach(async () => {
  await page.context().close();
  expect(dashboard.faults).toEqual([]);
});
afterAll(() => dashboard.stop());

const heading = (): ReturnType<Page['getByRole']> => page.getByRole('heading', { level: 1 });

/** Uploads records and follows the batch to its end. */
async function finish(file: { name: string; text: string }, state: string): Promise<string> {
  page = await dashboard.open('upload');
  const id = await uploadByDrop(page, file);
  const row = page.locator('.uploads li', { hasText: file.name });
  await row.getByText(state, { exact: true }).waitFor({ timeout: FINISHED });
  return id;
}

describe('a file that is dropped', () => {
  it('is watched to its end, and leads to its counts, its report, its receipt and its results', async () => {
    const records = [...goodRecords(300), usage(300, { account: 'acct-large', quantity: '900' })];
    const id = await finish({ name: 'march.ndjson', text: ndjson(records) }, 'Completed');
    await dashboard.shot(page, 'upload');

    await page.getByRole('link', { name: 'Open the batch of 301 items' }).click();
    await page.getByText('Every item is accounted for; 100 % succeeded.').waitFor();
    await page.getByText('revision 0 of the report').waitFor();
    expect(await page.locator('.timeline .done').count()).toBe(5);
    expect(await page.locator('.law').textContent()).toMatch(/301[\s\S]*\+\s*0[\s\S]*=\s*301/);
    await dashboard.shot(page, 'batch');

    const coming = page.waitForEvent('download');
    await page.locator('.download', { hasText: 'Results' }).getByRole('button', { name: 'CSV' }).click();
    const download = await coming;
    expect(download.suggestedFilename()).toBe(`billing-${id}-results.csv`);
    expect((await readFile(await download.path(), 'utf8')).trim().split('\n')).toHaveLength(302);

    await page.getByRole('link', { name: 'Report' }).click();
    await page.getByLabel('By').selectOption('gross');
    expect(await page.locator('.bar-name').first().textContent()).toBe('acct-large|EUR');
    await page.getByPlaceholder('Filter keys').fill('ACCT-1');
    expect(await page.locator('tbody tr').count()).toBe(1);
    await dashboard.shot(page, 'report');

    await page.getByRole('link', { name: 'Receipt' }).click();
    await page.getByText('Beside other designs').waitFor();
    await page.getByText('A message per item', { exact: true }).waitFor();
    await page.getByText('One poller, a day').waitFor();
    await dashboard.shot(page, 'receipt');
  });

  it('is refused with the place of its fault, or for its kind', async () => {
    page = await dashboard.open('upload');
    await page.getByLabel('Lane').locator('option', { hasText: 'bulk' }).waitFor({ state: 'attached' });
    await dropFile(page, { name: 'broken.ndjson', text: '{"id":"tx-1"}\n{"id":' });
    await page.getByText(/Cannot be read at line 2, column 7/).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('A record of the upload cannot be read').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await dropFile(page, { name: 'notes.docx', text: 'x' });
    await page.getByText('Not a kind that can be uploaded: notes.docx').waitFor();
    await dashboard.shot(page, 'upload-refused');
  });
});

describe('dead letters', () => {
  it('are grouped by cause, and run again when one is corrected', async () => {
    const bad = [usage(7, { quantity: '-3' }), usage(8, { quantity: '-4' }), usage(9, { currency: 'XXD' })];
    const id = await finish(
      { name: 'spoilt.ndjson', text: ndjson([...goodRecords(7), ...bad]) },
      'Completed with dead letters',
    );
    await page.goto(`${dashboard.stack.url}/api/dashboard#/batches/${id}/dead-letters`);
    await page.getByText('3 items of 2 causes').waitFor();
    await page.getByRole('button', { name: 'Show all 2' }).click();
    await page.locator('.letter-head', { hasText: 'Line 9' }).waitFor();
    await page.getByText('Stack trace', { exact: true }).first().click();
    await page
      .getByText(/at \w+ \(workloads\/billing\/rate\.ts:\d+:\d+\)/)
      .first()
      .waitFor();
    await dashboard.shot(page, 'dead-letters');

    const currency = page.locator('.cause', { has: page.getByRole('heading', { name: /^currency/ }) });
    await currency.getByRole('button', { name: 'Edit and redrive' }).click();
    const item = page.getByLabel('Item, as JSON');
    const text = await item.inputValue();
    await item.fill(text.replace('XXD', ''));
    await item.fill('{"id":');
    expect(await page.getByRole('button', { name: 'Redrive corrected' }).isDisabled()).toBe(true);
    await item.fill(text.replace('XXD', 'USD'));
    await dashboard.shot(page, 'dead-letter-edit');
    await page.getByRole('button', { name: 'Redrive corrected' }).click();

    await page.getByText('revision 1 of the report').waitFor({ timeout: FINISHED });
    expect(await page.locator('.law').textContent()).toMatch(/8[\s\S]*\+\s*2[\s\S]*=\s*10/);
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByText('2 items of one cause').waitFor();
  });

  it('run again as they are, once it is confirmed', async () => {
    const id = await finish(
      { name: 'one.ndjson', text: ndjson([usage(1, { quantity: '-3' })]) },
      'Completed with dead letters',
    );
    await page.goto(`${dashboard.stack.url}/api/dashboard#/batches/${id}/dead-letters`);
    await page.getByRole('button', { name: 'Redrive all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redrive' }).click();
    await page.getByText('one item run again').waitFor();
  });
});

describe('queues', () => {
  it('are paused with a reason, hold a batch that is then cancelled, and are resumed', async () => {
    page = await dashboard.open('queues');
    const queue = page.locator('tr', { hasText: 'billing-normal-0' });
    await queue.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason').fill('ledger is down');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await queue.getByText('ledger is down').waitFor();
    await dashboard.shot(page, 'queues-paused');

    await page.getByRole('link', { name: 'Upload' }).click();
    const id = await uploadByDrop(page, { name: 'held.ndjson', text: ndjson(goodRecords(20)) });
    await page.getByRole('link', { name: 'Open the batch of 20 items' }).click();
    await page.getByText('billing-normal-0: paused by an operator: ledger is down').waitFor();
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
    await page.getByText(/1 running chunk at .*: 5 of 20 items have ended, 12 in flight, 2 failing/).waitFor();
    await page.getByText('Error: ledger is slow').waitFor();
    await dashboard.shot(page, 'batch-progress');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason').fill('look first');
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText('by an operator: look first').waitFor();
    await dashboard.shot(page, 'batch-paused');
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('billing-normal-0: paused by an operator: ledger is down').waitFor();
    await page.getByRole('button', { name: 'Cancel batch' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel batch' }).click();
    await heading().getByText('Cancelled').waitFor({ timeout: FINISHED });
    expect(await page.locator('.law').textContent()).toMatch(/20[\s\S]*=\s*20/);
    await dashboard.shot(page, 'batch-cancelled');

    await page.getByRole('link', { name: 'Batches', exact: true }).click();
    await page.getByLabel('State').selectOption('cancelled');
    await page.locator('tbody tr', { hasText: id.slice(-12) }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);

    await page.getByRole('link', { name: 'Queues' }).click();
    await queue.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await queue.getByRole('button', { name: 'Pause' }).waitFor();
  });

  it('have a policy that is changed while they run', async () => {
    page = await dashboard.open('queues');
    const queue = page.locator('tr', { hasText: 'billing-high-0' });
    await queue.getByRole('button', { name: 'Policy' }).click();
    await page.getByLabel('Most tasks of a wave').fill('12');
    await dashboard.shot(page, 'policy');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await queue.getByText('policy 1').waitFor();
    const { policy } = (await (await dashboard.stack.api('queues/billing-high-0/policy')).json()) as {
      policy: { capacity: number };
    };
    expect(policy.capacity).toBe(12);
  });
});
