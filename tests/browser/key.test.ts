import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../helpers/client.ts';
import { signIn } from './support/dashboard.ts';
import { goodRecords } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
let page: Page;

// The listing must have a row.
beforeAll(async () => {
  const { id } = await send(dashboard.stack, 'billing', goodRecords(3));
  await finished(dashboard.stack, id);
});

const goTo = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);

describe('the key', () => {
  it('is requested, refused when it is wrong, and stored only in the tab', async () => {
    page = await dashboard.open('batches', { key: '' });
    await page.getByRole('heading', { name: 'Open the dashboard' }).waitFor();
    await dashboard.shot(page, 'key');
    await signIn(page, 'nonsense');
    await page.getByText('This key is not known').waitFor();
    await dashboard.shot(page, 'key-refused');
    await signIn(page, dashboard.stack.keys.function);
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    expect(await page.evaluate('localStorage.length + document.cookie.length')).toBe(0);
    expect(page.url()).not.toContain(dashboard.stack.keys.function);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByRole('heading', { name: 'Open the dashboard' }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('is shared by the tabs of a session, and deleted in all of them', async () => {
    page = await dashboard.open('batches');
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.locator('tbody tr').first().waitFor();
    const other = await page.context().newPage();
    await other.goto(`${dashboard.stack.url}/api/dashboard#/queues`);
    await other.locator('.chart').first().waitFor();
    // Another pipeline behind the same gateway.
    await page.context().route('**/other/api/**', async (route) => {
      const url = route.request().url().replace('/other/api/', '/api/');
      await route.fulfill({ response: await route.fetch({ url }) });
    });
    const foreign = await page.context().newPage();
    await foreign.goto(`${dashboard.stack.url}/other/api/dashboard#/queues`);
    await foreign.getByRole('heading', { name: 'Open the dashboard' }).waitFor();

    await other.getByRole('button', { name: 'Forget the key' }).click();
    await page.getByRole('heading', { name: 'Open the dashboard' }).waitFor();
    // The data of the first key is gone in both tabs before any response to the next key.
    await page.route(/\/api\/(queues|batches\?limit=1&.*)$/, (route) => route.fulfill({ json: {} }));
    await page.route(/\/api\/batches$/, () => {});
    await signIn(page, 'another');
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await other.getByRole('heading', { name: 'Queues' }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(0);
  });

  it('that is refused can be replaced on the spot', async () => {
    page = await dashboard.open('batches');
    await page.getByRole('heading', { name: 'Batches' }).waitFor();
    await page.route('**/api/cost', (each) => each.fulfill({ status: 401 }));
    await goTo('days');
    await page.getByRole('button', { name: 'Use another key' }).click();
    await page.unroute('**/api/cost');
    await signIn(page, dashboard.stack.keys.function);
    await page.getByRole('heading', { name: 'This instance' }).waitFor();
  });

  it('of a client gives access to batches, and the page says what requires an operator', async () => {
    page = await dashboard.open('batches', { key: '' });
    for (const route of ['**/api/queues', '**/api/overview'])
      await page.route(route, (each) => each.fulfill({ status: 401 }));
    await signIn(page, dashboard.stack.keys.function);
    await page.locator('tbody tr').first().waitFor();
    for (const path of ['queues', 'overview']) {
      await goTo(path);
      await page.getByText('Not allowed with this key').waitFor();
      await page.getByText(/require an operator’s key/).waitFor();
    }
    await dashboard.shot(page, 'client-key');
  });
});
