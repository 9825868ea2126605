import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ndjson } from '../helpers/transactions.ts';
import { type Dashboard, signIn, startDashboard, uploadByDrop } from './dashboard.ts';
import { goodRecords, usage } from './records.ts';

const FINISHED = 60_000;
const PAGES = ['queues', 'batches', 'inbox', 'upload', 'cost'];
const LABELS = ['Overview', 'Dead letters', 'Report', 'Receipt'];
let dashboard: Dashboard;
let page: Page;
/** A batch with a dead letter, whose data are markup. */
let id: string;

const SCRIPT = '<script>window.ran = 1</script>';
const IMAGE = '<img src=x onerror="window.ran=1">';

beforeAll(async () => {
  dashboard = await startDashboard();
  page = await dashboard.open('upload');
  const records = [
    ...goodRecords(8),
    usage(8, { account: SCRIPT }),
    usage(9, { account: IMAGE }),
    usage(10, { account: IMAGE, product: SCRIPT, quantity: '-1' }),
    usage(11, { account: IMAGE, country: SCRIPT }),
  ];
  id = await uploadByDrop(page, { name: `${IMAGE}.ndjson`, text: ndjson(records) });
  await page.getByText('Completed with dead letters').waitFor({ timeout: FINISHED });
  await page.context().close();
});
afterEach(async () => {
  await page.context().close();
  expect(dashboard.faults).toEqual([]);
});
afterAll(() => dashboard.stop());

const goTo = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);
const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');

describe('markup in data', () => {
  it('is shown as text wherever it comes from', async () => {
    page = await dashboard.open(`batches/${id}/report`);
    await page.getByRole('cell', { name: `${SCRIPT}|EUR` }).waitFor();
    await page.getByRole('cell', { name: `${IMAGE}|EUR` }).waitFor();
    await dashboard.shot(page, 'markup-in-report');
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.locator('code.item', { hasText: '<img src=x' }).first().waitFor();
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it('could not even be set as HTML', async () => {
    page = await dashboard.open();
    await page.locator('.chart').first().waitFor();
    expect(
      await page.evaluate(`(() => { try { document.body.innerHTML = '<b>x</b>' } catch (e) { return e.name } })()`),
    ).toBe('TypeError');
    // The browser reports what it has refused here; nowhere else may it have to.
    dashboard.faults.length = 0;
  });
});

describe('a report that failed', () => {
  it('is shown as the state of the batch, with the reason and a button that makes it again', async () => {
    page = await dashboard.open(`batches/${id}`);
    // The key is kept once it has opened something: a reload before that asks for it again.
    await page.locator('h1 .tag').waitFor();
    const problem = 'The merge of key "acme|EUR" failed: TypeError: no amount';
    await page.route(`**/api/batches/${id}`, async (route) => {
      const batch = await (await route.fetch()).json();
      await route.fulfill({ json: { ...batch, state: 'reportFailed', reportRevision: null, reportProblem: problem } });
    });
    await goTo(`batches/${id}/report`);
    await page.reload();
    await page.locator('h1 .tag.bad', { hasText: 'Report failed' }).waitFor();
    await page.getByText(problem).waitFor();
    await dashboard.shot(page, 'report-failed');
    const asked = page.waitForRequest(/dead-letters\/redrive$/);
    await page.getByRole('button', { name: 'Make the report again' }).click();
    expect((await asked).postDataJSON()).toEqual({ report: true });
    // The app itself knows that this batch has its report.
    await page.getByText('only a report that failed can be redriven').waitFor();
  });
});

describe('a suspect batch', () => {
  it('says what is probably wrong, with the causes and an example', async () => {
    page = await dashboard.open('upload');
    const file = { name: 'other.ndjson', text: ndjson([{ order: 1 }, { order: 2 }]) };
    const suspect = await uploadByDrop(page, file);
    await page.getByText('Suspect').waitFor({ timeout: FINISHED });
    await goTo(`batches/${suspect}`);
    await page.locator('h1 .tag.bad', { hasText: 'Suspect' }).waitFor();
    await page.getByText('None of the first items is valid.').waitFor();
    await page.getByText(/^For example at position 0: /).waitFor();
    await dashboard.shot(page, 'suspect');
    await goTo('batches');
    await page.getByLabel('State').selectOption('suspect');
    await page.locator('tbody tr', { hasText: 'Completed' }).waitFor({ state: 'hidden' });
    await page.locator('tbody tr', { hasText: 'Suspect' }).waitFor();
  });
});

describe('the key', () => {
  it('is asked for, refused when it is wrong, and kept in the tab alone', async () => {
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

  it('of a client opens batches, and says what else would take an operator', async () => {
    page = await dashboard.open('batches', { key: '' });
    for (const route of ['**/api/queues', '**/api/cost'])
      await page.route(route, (each) => each.fulfill({ status: 401 }));
    await signIn(page, dashboard.stack.keys.function);
    await page.locator('tbody tr').first().waitFor();
    for (const path of ['queues', 'cost']) {
      await goTo(path);
      await page.getByText('Not allowed with this key').waitFor();
      await page.getByText(/take an operator’s key/).waitFor();
    }
    await dashboard.shot(page, 'client-key');
  });
});

describe('watching', () => {
  it('costs nothing while the page is hidden, and tells what it has cost', async () => {
    page = await dashboard.open();
    await page.locator('.chart').first().waitFor();
    await page.clock.install();
    const show = (hidden: boolean): Promise<unknown> =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
         document.dispatchEvent(new Event('visibilitychange'))`,
      );
    await show(true);
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/api/queues')) asked += 1;
    });
    await page.clock.runFor(60_000);
    expect(asked).toBe(0);
    const answered = page.waitForResponse(/api\/queues/);
    await show(false);
    await answered;
    expect(asked).toBe(1);
    expect(await page.locator('.own-cost').textContent()).toMatch(/\d+ requests?\s*≈ \d+ storage operations?/);
  });

  it('goes on by itself when the server comes back', async () => {
    page = await dashboard.open();
    await page.locator('.chart').first().waitFor();
    await page.route('**/api/queues*', (route) => route.abort());
    await page.getByText('The server cannot be reached').waitFor();
    await page.locator('tbody tr').first().waitFor();
    await dashboard.shot(page, 'unreachable');
    await page.unroute('**/api/queues*');
    await page.getByText('The server cannot be reached').waitFor({ state: 'hidden' });
  });
});

describe('how it looks', () => {
  it('is dark where the system is, and as it is chosen', async () => {
    page = await dashboard.open('', { colorScheme: 'dark' });
    await page.locator('.chart').first().waitFor();
    const dark = await background();
    for (const path of [...PAGES, `batches/${id}`]) {
      await goTo(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'hidden' });
      await dashboard.shot(page, `dark-${path.slice(0, 7)}`);
    }
    await page.getByRole('button', { name: 'Colours: auto' }).click();
    await page.getByRole('button', { name: 'Colours: light' }).waitFor();
    expect(await background()).not.toBe(dark);
    await page.getByRole('button', { name: 'Colours: light' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Colours: dark' }).waitFor();
    expect(await background()).toBe(dark);
  });

  it('fits a phone without scrolling sideways', async () => {
    page = await dashboard.open('', { viewport: { width: 375, height: 760 }, isMobile: true, hasTouch: true });
    await page.locator('.chart').first().waitFor();
    const paths = [...PAGES, ...['', '/dead-letters', '/report', '/receipt'].map((tab) => `batches/${id}${tab}`)];
    for (const path of paths) {
      await goTo(path);
      await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'hidden' });
      await page.getByRole('heading').first().waitFor();
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 375]);
      await dashboard.shot(page, `phone-${path.replace(id, 'one').replaceAll('/', '-')}`);
    }
  });

  it('shows every page, also those with nothing on them', async () => {
    page = await dashboard.open();
    for (const path of [...PAGES, 'batches/00000000-0000-7000-8000-000000000000']) {
      await goTo(path);
      await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'hidden' });
      await dashboard.shot(page, path.slice(0, 9).replace('/', '-none'));
    }
    await page.getByText('No such resource').waitFor();
    await goTo('batches');
    await page.getByLabel('Workload').selectOption('payouts');
    await page.getByText('Nothing fits').waitFor();
    await dashboard.shot(page, 'batches-nothing-fits');
  });
});

describe('the keyboard', () => {
  it('reaches everything, and dialogs give the focus back', async () => {
    page = await dashboard.open('batches');
    const focused = (): Promise<string> =>
      page.evaluate(
        `((at) => (at.matches('a, button, input, select, textarea') ? at.innerText || at.ariaLabel || '' : ''))(document.activeElement)`,
      );
    const tabTo = async (text: string): Promise<void> => {
      for (let step = 0; step < 40 && !(await focused()).includes(text); step += 1) await page.keyboard.press('Tab');
      expect(await focused()).toContain(text);
    };
    await page.locator('tbody tr').first().waitFor();
    await tabTo('Skip to content');
    await page.keyboard.press('Enter');
    await tabTo(id.slice(-12));
    await page.keyboard.press('Enter');
    await page.getByText('Every item is accounted for').waitFor();
    for (const label of LABELS) await tabTo(label);

    await goTo(`batches/${id}/dead-letters`);
    await page.locator('.cause').first().waitFor();
    await tabTo('Edit and redrive');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).toContain('Edit and redrive');
  });

  it('opens a dialog again right after Escape', async () => {
    page = await dashboard.open(`batches/${id}/dead-letters`);
    await page.getByRole('button', { name: 'Edit and redrive' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let round = 0; round < 10; round += 1) {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      // Time for a late report of the close, which must not close the new dialog.
      await page.waitForTimeout(50);
      expect(await page.getByRole('dialog').count()).toBe(1);
    }
  });
});
