import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { ndjson } from '../helpers/data/transactions.ts';
import { dropFile } from './support/dashboard.ts';
import { goodRecords } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
let page: Page;

const goTo = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);
const row = (name: string) => page.locator('.uploads li', { hasText: name });
/** Whether the browser would ask before leaving the page. */
const asksBeforeLeaving = (): Promise<boolean> =>
  page.evaluate(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`);

describe('files to upload', () => {
  it('are checked, sent and cancelled, and stay while another page is shown', async () => {
    page = await dashboard.open('upload');
    await page.getByLabel('Lane').locator('option', { hasText: 'bulk' }).waitFor({ state: 'attached' });
    expect(await asksBeforeLeaving()).toBe(false);
    const text = ndjson(goodRecords(20));
    await dropFile(page, { name: 'first.ndjson', text });
    await dropFile(page, { name: 'second.ndjson', text });
    await dropFile(page, { name: 'third \u202exslx.ndjson', text });
    await row('first').getByText('20 items: all fit the schema').waitFor();
    await row('third [U+202E]xslx.ndjson').waitFor();
    expect(await asksBeforeLeaving()).toBe(true);

    await row('third').getByRole('button', { name: 'Remove' }).click();
    await goTo('inbox');
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    await goTo('upload');
    await row('first').getByText('20 items: all fit the schema').waitFor();
    expect(await page.locator('.uploads li').count()).toBe(2);

    // The service does not respond to the first upload. Cancelling must end its request, not only remove its row.
    await page.route(/\/workloads\/billing\/batches/, () => {});
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/workloads/billing/batches'));
    await row('first').getByRole('button', { name: 'Send' }).click();
    await goTo('days');
    await page.getByRole('heading', { name: 'Days', exact: true }).waitFor();
    await goTo('upload');
    await row('first').getByRole('button', { name: 'Cancel' }).click();
    await ended;
    await row('first')
      .getByText(/^Cancelled/)
      .waitFor();
    await dashboard.shot(page, 'upload-cancelled');

    await page.unroute(/\/workloads\/billing\/batches/);
    const asked = page.waitForRequest((request) => request.url().endsWith('/workloads/billing/batches'));
    await row('first').getByRole('button', { name: 'Send again' }).click();
    expect((await asked).headers()['sluice-file-name']).toBe('first.ndjson');
    const link = row('first').getByRole('link', { name: /Open the batch/ });
    await link.waitFor();
    await row('first').getByText('Completed', { exact: true }).waitFor({ timeout: 60_000 });
    await link.click();
    await page.getByText('file first.ndjson').waitFor();
    await page.goBack();
    await row('first').getByText('Completed', { exact: true }).waitFor();
    await row('first').getByRole('button', { name: 'Remove' }).click();
    await row('second').getByRole('button', { name: 'Remove' }).click();
    expect(await page.locator('.uploads').count()).toBe(0);
    expect(await asksBeforeLeaving()).toBe(false);

    await goTo('batches?search=');
    await page.locator('tbody tr', { hasText: 'first.ndjson' }).waitFor();
  });
});
