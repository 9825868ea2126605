import { readFile } from 'node:fs/promises';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ndjson } from '../helpers/data/transactions.ts';
import { dropFile, signIn, uploadByDrop } from './support/dashboard.ts';
import { goodRecords, usage } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const FINISHED = 60_000;
const dashboard = useDashboard();
let page: Page;

/** Uploads records and follows the batch until it is finished. */
async function finish(file: { name: string; text: string }, state: string): Promise<string> {
  page = await dashboard.open('upload');
  const id = await uploadByDrop(page, file);
  const row = page.locator('.uploads li', { hasText: file.name });
  await row.getByText(state, { exact: true }).waitFor({ timeout: FINISHED });
  return id;
}

describe('a file that is dropped', () => {
  it('is followed until its batch is finished, and links to its counts, its report, its receipt and its results', async () => {
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
    await page.getByText('Compared with other designs').waitFor();
    await page.getByText('One message per item', { exact: true }).waitFor();
    await page.getByText('One poller for a day').waitFor();
    await dashboard.shot(page, 'receipt');
  });

  it('is refused with the place of its error, or for its type', async () => {
    page = await dashboard.open('upload');
    await page.getByLabel('Lane').locator('option', { hasText: 'bulk' }).waitFor({ state: 'attached' });
    await dropFile(page, { name: 'broken.ndjson', text: '{"id":"tx-1"}\n{"id":' });
    await page.getByText(/Cannot be read at line 2, column 7/).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('A record of the upload cannot be read').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await dropFile(page, { name: 'notes.docx', text: 'x' });
    await page.getByText('This file type cannot be uploaded: notes.docx').waitFor();
    await dashboard.shot(page, 'upload-refused');
  });
});

describe('the items of a batch', () => {
  /** A client's key gives access only to batches. */
  const openAsClient = async (path: string): Promise<void> => {
    page = await dashboard.open(path, { key: '' });
    await page.route(/\/api\/(queues|cost)/, (route) => route.fulfill({ status: 401 }));
    await signIn(page, dashboard.stack.keys.function);
    await page.locator('h1 .tag').waitFor();
  };

  it('are listed with their states a page at a time, and found by id, with the key of a client', async () => {
    const records = [...goodRecords(130), usage(130, { quantity: '-1' })];
    const id = await finish({ name: 'items.ndjson', text: ndjson(records) }, 'Completed with dead letters');
    await page.context().close();
    await openAsClient(`batches/${id}`);
    await page.route(/\/items\?.*from=/, withPicture);
    await page.getByRole('link', { name: 'Items' }).click();
    const rows = page.locator('tbody tr');
    await rows.nth(99).waitFor();
    expect(await rows.first().textContent()).toMatch(/^0tx-0Succeeded0{"id":"tx-0",.*"gross":"0.60"/);
    await page.getByRole('button', { name: 'More items' }).click();
    await rows.filter({ hasText: 'photos/a.jpg/160.webp 160 × 107, 4.2 kB' }).waitFor();
    await rows.filter({ hasText: '{"gross":12.500000000000000001}' }).waitFor();
    expect(await rows.count()).toBe(131);
    expect(await page.getByRole('button', { name: 'More items' }).count()).toBe(0);
    await rows.last().scrollIntoViewIfNeeded();
    await dashboard.shot(page, 'items', { fullPage: false });

    const totals = page.getByRole('group', { name: 'State' }).getByRole('button');
    expect(await totals.allTextContents()).toEqual([
      'All 131',
      'Pending 0',
      'Succeeded 130',
      'Dead 1',
      'Discarded 0',
      'Cancelled 0',
    ]);
    await page.getByRole('button', { name: 'Dead 1' }).click();
    const only = page.locator('tbody tr:only-child');
    await only.filter({ hasText: 'tx-130' }).waitFor();
    expect(await only.textContent()).toMatch(/^130tx-130Dead1.*quantity/);
    await page.getByRole('button', { name: 'Cancelled 0' }).click();
    await page.getByText('No item is cancelled').waitFor();

    await page.getByLabel('Id of an item').fill('tx-7');
    await page.keyboard.press('Enter');
    await rows.filter({ hasText: 'tx-7' }).getByText('Succeeded').waitFor();
    expect(await rows.locator('code').textContent()).toContain('"gross"');
    await page.getByLabel('Id of an item').fill('tx-700');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('No item of this batch has the id tx-700.').waitFor();
    await page.goBack();
    await rows.filter({ hasText: 'tx-7' }).waitFor();
    await page.reload();
    await rows.filter({ hasText: 'tx-7' }).waitFor();
    expect(await page.getByLabel('Id of an item').inputValue()).toBe('tx-7');
    await page.setViewportSize({ width: 360, height: 760 });
    await page.getByRole('button', { name: 'All 131' }).click();
    await page.getByRole('button', { name: 'More items' }).click();
    await rows.nth(130).waitFor();
    await dashboard.shot(page, 'phone-items', { fullPage: false });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.setViewportSize({ width: 768, height: 760 });
    await dashboard.shot(page, 'tablet-items', { fullPage: false });
    const tooWide = `((table) => table.scrollWidth > table.parentElement.clientWidth)(document.querySelector('.items'))`;
    expect(await page.evaluate(tooWide)).toBe(false);
  });
});

/** A page of items. The first has a result of the workload `media`, the second one with too many digits for a float. */
async function withPicture(route: Route): Promise<void> {
  const thumbnail = '{"name":"photos/a.jpg/160.webp","width":160,"height":107,"bytes":4210}';
  const picture = `{"source":"photos/a.jpg","format":"jpeg","width":1920,"height":1280,"bytes":310000,"thumbnails":[${thumbnail}]}`;
  const results = [picture, '{"gross":12.500000000000000001}'];
  const response = await route.fetch();
  const answer = (await response.json()) as { items: { result?: unknown }[] };
  for (const [n, item] of answer.items.entries()) if (n < results.length) item.result = `RESULT ${n}`;
  const body = JSON.stringify(answer).replace(/"RESULT (\d)"/g, (_, n: string) => results[Number(n)] ?? '');
  await route.fulfill({ response, body });
}
