/** The times of polling, and how the page shows them. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
let page: Page;

const goTo = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);

describe('polling', () => {
  it('costs nothing while the page is hidden', async () => {
    page = await dashboard.open('inbox');
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    await page.clock.install();
    await goTo('queues');
    await page.locator('.chart').first().waitFor();
    const show = (hidden: boolean): Promise<unknown> =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
         Object.defineProperty(document, 'visibilityState', { value: '${hidden ? 'hidden' : 'visible'}', configurable: true });
         document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await show(true);
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/queues')) asked += 1;
    });
    for (let minute = 0; minute < 5; minute += 1) await page.clock.fastForward(60_000);
    expect(asked).toBe(0);
    const answered = page.waitForResponse(/api\/queues/);
    await show(false);
    await answered;
    expect(asked).toBe(1);
  });

  it('continues automatically when the server is available again', async () => {
    page = await dashboard.open('inbox');
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    await page.clock.install();
    await goTo('queues');
    await page.locator('.chart').first().waitFor();
    await page.route('**/api/queues*', (route) => route.abort());
    await page.clock.fastForward(10_000);
    await page.getByText('The server cannot be reached').waitFor();
    await page.locator('tbody tr').first().waitFor();
    await dashboard.shot(page, 'unreachable');
    await page.unroute('**/api/queues*');
    await page.clock.fastForward(2 * 10_000);
    await page.getByText('The server cannot be reached').waitFor({ state: 'hidden' });
  });

  it('stops when nothing has changed for half an hour, and continues with a click', async () => {
    page = await dashboard.open('inbox');
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    await page.clock.install();
    await goTo('queues');
    await page.locator('.chart').first().waitFor();
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/queues')) asked += 1;
    });
    // One jump of the clock fires a timer at most once.
    for (let minute = 0; minute < 40; minute += 1) await page.clock.fastForward(60_000);
    const button = page.getByRole('button', { name: 'Paused: continue' });
    await button.waitFor();
    const before = asked;
    for (let minute = 0; minute < 5; minute += 1) await page.clock.fastForward(60_000);
    expect(asked).toBe(before);
    const answered = page.waitForResponse(/api\/queues/);
    await button.press('Enter');
    await answered;
    await page.getByText('every 10 s').waitFor();
    // The key that ends the pause, and the click that it triggers on the button, cause one request.
    expect(asked).toBe(before + 1);
  });

  it('shows the age of the data, and that no response arrived since', async () => {
    page = await dashboard.open('inbox');
    await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
    await page.clock.install({ time: '2026-03-01T12:00:00+02:00' });
    await goTo('queues');
    await page.getByText(/^As of 10:00:0\d UTC$/).waitFor();
    expect(await page.locator('.freshness .pulse.off').count()).toBe(0);
    await page.route('**/api/queues*', (route) => route.abort());
    await page.clock.fastForward(10_000);
    await page.getByText('no answer since').waitFor();
    await page.getByText(/^As of 10:00:0\d UTC$/).waitFor();
    expect(await page.locator('.freshness .pulse.off').count()).toBe(1);
  });
});
