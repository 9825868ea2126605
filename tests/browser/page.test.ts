import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ndjson } from '../helpers/data/transactions.ts';
import { entryAt } from './support/batch-data.ts';
import { signIn, uploadByDrop } from './support/dashboard.ts';
import { goodRecords, usage } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const FINISHED = 60_000;
const LABELS = ['Overview', 'Items', 'Dead letters', 'Report', 'Receipt'];
const dashboard = useDashboard();
let page: Page;
/** A batch with a dead letter, whose data contain markup. */
let id: string;

const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))';
const SCRIPT = '<script>window.ran = 1</script>';
const IMAGE = '<img src=x onerror="window.ran=1">';

beforeAll(async () => {
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

const goTo = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);

describe('markup in data', () => {
  it('is shown as text, whatever its source', async () => {
    page = await dashboard.open(`batches/${id}/report`);
    await page.getByRole('cell', { name: `${SCRIPT}|EUR` }).waitFor();
    await page.getByRole('cell', { name: `${IMAGE}|EUR` }).waitFor();
    await dashboard.shot(page, 'markup-in-report');
    await page.locator('.tabs').getByRole('link', { name: 'Dead letters' }).click();
    await page.locator('code.item', { hasText: '<img src=x' }).first().waitFor();
    expect(await page.locator('img, main script').count()).toBe(0);
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it('cannot reverse the direction of text, whatever its source', async () => {
    page = await dashboard.open(`batches/${id}`);
    await page.locator('h1 .tag').waitFor();
    const turned = (text: string): string => text.replaceAll('TURN', 'a\u202eb');
    const answer = (url: RegExp, json: unknown): Promise<unknown> =>
      page.route(url, (route) =>
        route.fulfill({ body: turned(JSON.stringify(json)), contentType: 'application/json' }),
      );
    const item = { position: 1, id: 'TURN', state: 'dead', attempts: 1, error: 'TURN', result: { note: 'TURN' } };
    await answer(/\/items\?/, { items: [item] });
    await answer(/\/report\?/, { key: 'TURN', value: { 'in TURN': 1, text: 'TURN' } });
    await answer(/\/api\/inbox$/, {
      files: [
        {
          ...{ name: 'billing/TURN.csv', workload: 'billing', lane: 'TURN', state: 'rejected', bytes: 1 },
          ...{ since: '2026-11-22T12:00:00.000Z', reason: { detail: 'TURN', errors: [] }, importedFrom: 'TURN' },
        },
      ],
    });
    await answer(/\/api\/batches$/, {
      batches: [entryAt(Date.now(), { labels: { source: 'TURN' }, file: 'TURN' })],
      ...{ days: { from: '2026-11-16', to: '2026-11-22' }, lookedAt: { batches: 1, until: null } },
    });
    await page.route(/\/api\/cost$/, (route) =>
      route.fulfill({ status: 400, body: turned('{"title":"TURN","detail":"x TURN","errors":[]}') }),
    );
    for (const [path, count] of [
      [`batches/${id}/items`, 3],
      [`batches/${id}/report`, 6],
      ['inbox', 4],
      ['batches', 2],
      ['cost', 2],
    ] as const) {
      await goTo(path);
      const shown = async (): Promise<string> => (await page.locator('main').textContent()) ?? '';
      await expect.poll(async () => [path, (await shown()).match(/\[U\+202E\]/g)?.length]).toEqual([path, count]);
      expect(await shown()).not.toContain('\u202e');
    }
  });

  it('could not even be set as HTML', async () => {
    page = await dashboard.open('queues');
    await page.locator('.chart').first().waitFor();
    expect(
      await page.evaluate(`(() => { try { document.body.innerHTML = '<b>x</b>' } catch (e) { return e.name } })()`),
    ).toBe('TypeError');
    // The browser reports the refusals that this test expects; no other test may have any.
    dashboard.faults.length = 0;
  });
});

describe('a report that failed', () => {
  it('is shown as the state of the batch, with the reason and a button that builds it again', async () => {
    page = await dashboard.open(`batches/${id}`);
    // The key is stored after its first successful use: a reload before that asks for it again.
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
    await page.getByRole('button', { name: 'Build the report again' }).click();
    expect((await asked).postDataJSON()).toEqual({ report: true });
    // The real app knows that this batch has its report.
    await page.getByText('only a report that failed can be redriven').waitFor();
  });
});

describe('a deadline at risk', () => {
  it('stands beside the time that is left', async () => {
    page = await dashboard.open('batches');
    await page.locator('tbody tr').first().waitFor();
    await page.route(`**/api/batches/${id}`, async (route) => {
      const batch = await (await route.fetch()).json();
      const at = new Date(Date.now() + 90_000).toISOString();
      const deadline = { at, met: null, atRiskAt: '2026-11-22T14:03:00.000Z' };
      await route.fulfill({ json: { ...batch, state: 'running', deadline, times: { ...batch.times, deadline: at } } });
    });
    await goTo(`batches/${id}`);
    await page.getByText(/^Deadline in 1 min \d+ s, at risk since \d\d:\d\d:00 UTC$/).waitFor();
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
    await goTo('cost');
    await page.getByRole('button', { name: 'Use another key' }).click();
    await page.unroute('**/api/cost');
    await signIn(page, dashboard.stack.keys.function);
    await page.getByRole('heading', { name: 'Cost' }).waitFor();
  });

  it('of a client gives access to batches, and the page says what requires an operator', async () => {
    page = await dashboard.open('batches', { key: '' });
    for (const route of ['**/api/queues', '**/api/cost'])
      await page.route(route, (each) => each.fulfill({ status: 401 }));
    await signIn(page, dashboard.stack.keys.function);
    await page.locator('tbody tr').first().waitFor();
    for (const path of ['queues', 'cost']) {
      await goTo(path);
      await page.getByText('Not allowed with this key').waitFor();
      await page.getByText(/require an operator’s key/).waitFor();
    }
    await dashboard.shot(page, 'client-key');
  });
});

describe('the address', () => {
  it('that leads nowhere shows "No such page", and each page has its title', async () => {
    page = await dashboard.open('batches/not-an-id');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await expect.poll(() => page.title()).toBe('No such page · Sluice');
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await expect.poll(() => page.title()).toBe('Overview · Sluice');
    await page.goBack();
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
  });
});

describe('the keyboard', () => {
  it('reaches everything, and a dialog restores the focus when it closes', async () => {
    page = await dashboard.open('batches');
    const focused = (): Promise<string> =>
      page.evaluate(
        `((at) => (at.matches('a, button, input, select, textarea') ? at.innerText || at.ariaLabel || '' : ''))(document.activeElement)`,
      );
    const tabTo = async (text: string): Promise<void> => {
      for (let step = 0; step < 100 && !(await focused()).includes(text); step += 1) await page.keyboard.press('Tab');
      expect(await focused()).toContain(text);
    };
    await page.locator('tbody tr').first().waitFor();
    await tabTo('Skip to content');
    await page.keyboard.press('Enter');
    await tabTo(`Select billing …${id.slice(-12)}`);
    await page.keyboard.press('Tab');
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
      // A late report of the close must not close the new dialog. It arrives in a task before the next frame but one.
      await page.evaluate(FRAMES);
      expect(await page.getByRole('dialog').count()).toBe(1);
    }
  });
});
