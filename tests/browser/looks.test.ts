import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../helpers/client.ts';
import { mockBatch, revisionAt, viewAt } from './support/batch-data.ts';
import { goodRecords, usage } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const PAGES = ['overview', 'queues', 'batches', 'dead-letters', 'days', 'audit', 'inbox', 'upload'];
const WIDTHS = [360, 768, 900, 1024, 1152, 1240, 1440];
/** Pages of which a picture is kept. */
const PICTURED = [360, 768, 1024];
const DAY_MS = 24 * 60 * 60 * 1000;
const LONG = 'photographs-of-the-year-2025-as-the-accounting-team-has-exported-them';
const dashboard = useDashboard();
let page: Page;
/** A batch with a dead letter. */
let id: string;

beforeAll(async () => {
  ({ id } = await send(dashboard.stack, 'billing', [...goodRecords(8), usage(8, { quantity: '-1' })]));
  await finished(dashboard.stack, id);
});

const goTo = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);
const background = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');

describe('the appearance', () => {
  it('is dark if the system is, or if the user chooses it', async () => {
    page = await dashboard.open('queues', { colorScheme: 'dark' });
    await page.locator('.chart').first().waitFor();
    const dark = await background();
    for (const path of [...PAGES, `batches/${id}`]) {
      await goTo(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'hidden' });
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
    page = await dashboard.open('queues', { viewport: { width: 375, height: 760 }, isMobile: true, hasTouch: true });
    await page.locator('.chart').first().waitFor();
    const paths = [
      ...PAGES,
      ...['', '/items', '/dead-letters', '/report', '/receipt'].map((tab) => `batches/${id}${tab}`),
    ];
    for (const path of paths) {
      await goTo(path);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'hidden' });
      await page.getByRole('heading').first().waitFor();
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 375]);
      await dashboard.shot(page, `phone-${path.replace(id, 'one').replaceAll('/', '-')}`);
    }
  });

  it('shows every page, also empty ones', async () => {
    page = await dashboard.open();
    for (const path of [...PAGES, 'batches/00000000-0000-7000-8000-000000000000']) {
      await goTo(path);
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'hidden' });
      await dashboard.shot(page, path.slice(0, 9).replace('/', '-none'));
    }
    await page.getByText('No batch has this id').waitFor();
    await goTo('batches');
    await page.getByLabel('Workload').selectOption('media');
    await page.getByRole('heading', { name: 'No match' }).waitFor();
    await dashboard.shot(page, 'batches-no-match');
  });
});

describe('tables', () => {
  /** Opens a page with figures and texts of maximum length, at each width. */
  const measure = async (path: string, shown: string): Promise<void> => {
    await goTo(path);
    await page.getByText(shown).first().waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      if (PICTURED.includes(width)) await dashboard.shot(page, `${path.replace(/\/.*/, '-one')}-${width}`);
      expect([width, await page.evaluate(OUTSIDE), await page.evaluate(SCROLLS)]).toEqual([width, [], false]);
    }
  };
  /** Changes the response of a listing of the API. */
  const change = (url: RegExp, by: (listing: Record<string, Record<string, unknown>[]>) => unknown): Promise<unknown> =>
    page.route(url, async (route) => route.fulfill({ json: by(await (await route.fetch()).json()) }));

  it('have their whole content inside their panel at every width of the window', async () => {
    page = await dashboard.open('days');
    await page.getByRole('heading', { name: 'Days' }).waitFor();
    const reason = 'The ledger refuses bookings of this month until it is closed: ask the accounting team';
    const paused = { by: 'operator', reason, since: '2026-11-22T14:03:00.000Z' };
    const load = { instances: 120, cpu: 0.993, eventLoop: 0.412, responseMs: 1_240, latencyMs: 8_000_000 };
    await change(/\/api\/queues(\?fresh)?$/, ({ queues }) => ({
      queues: queues?.map((queue) => ({
        ...{ ...queue, load, generation: 1_234, depth: 1_234_567, total: 4_500_000, itemsPerSecond: 123_456 },
        paused: String(queue.queue).endsWith('normal-0') ? paused : null,
        notes: [{ tone: 'warn', text: `paused by an operator: ${reason}` }],
      })),
    }));
    await measure('queues', reason);

    const now = Date.now();
    const at = (days: number): string => new Date(now + days * DAY_MS).toISOString();
    const times = { openedAt: at(-1), completedAt: null, deadlineAt: at(2), deadlineMet: null, atRiskAt: at(-0.5) };
    const estimate = { completesAt: at(1.9), basis: 'the rate so far' };
    const labels = { source: LONG, tenant: 'contoso-international-holdings', month: '2025-03' };
    await change(/\/api\/batches(\?.*)?$/, ({ batches, ...rest }) => ({
      ...rest,
      batches: batches?.map((batch) => ({
        ...{ ...batch, ...times, estimate, labels, state: 'completedWithDeadLetters', file: `${LONG}.ndjson` },
        ...{ accepted: 123_456_789, dead: 1_234_567, pending: 12_345_678, ratePerSecond: 123_456 },
      })),
    }));
    await measure('batches', 'at risk');

    const file = { workload: 'billing', lane: 'normal', bytes: 123_456_789, since: at(-1) };
    const fault = { type: 'x', status: 400, title: 'Not read', detail: `${reason}. ${LONG}${LONG}`, errors: [] };
    await page.route(/\/api\/inbox(\?.*)?$/, (route) =>
      route.fulfill({
        json: {
          files: [
            { ...file, name: `billing/normal/${LONG}.ndjson`, state: 'rejected', notes: [fault.detail] },
            {
              ...file,
              name: `billing/${LONG}/${LONG}.csv.url`,
              state: 'taking',
              readBytes: 9_876_543,
              readItems: 9_876,
              notes: ['8 % of 123.5 MB read, 9,876 items'],
            },
            {
              ...file,
              name: `billing/${LONG}.csv`,
              state: 'waiting',
              notes: [],
              importedFrom: `https://contoso.example/${LONG}`,
            },
          ],
        },
      }),
    );
    await measure('inbox', fault.detail);

    const revisions = [
      revisionAt(now - 2 * DAY_MS),
      revisionAt(now - DAY_MS, { revision: 1, kind: 'discard', items: 1_234_567, reason }),
    ];
    const counts = {
      accepted: 123_456_789,
      succeeded: 122_222_222,
      dead: 0,
      discarded: 1_234_567,
      cancelled: 0,
      pending: 0,
    };
    const batch = viewAt(now - 2 * DAY_MS, revisions, {
      ...{ state: 'reportFailed', reportProblem: LONG, labels },
      counts: { ...counts, retried: 1_234_567, duplicatesSeen: 123 },
    });
    await mockBatch(page, batch);
    await measure(`batches/${batch.id}`, 'Discard 1');
  });
});

/** Content that is not completely inside its panel: the name of a button, or else the text. */
const OUTSIDE = `[...document.querySelectorAll('.panel :is(button, td, th, .row-link)')].filter((each) => {
  const [own, panel] = [each, each.closest('.panel')].map((of) => of.getBoundingClientRect());
  if (own.width <= 1) return false;
  return own.left < panel.left || own.right > panel.right || own.top < panel.top || own.bottom > panel.bottom;
}).map(({ localName, innerText }) => localName + ': ' + innerText)`;
const SCROLLS = 'document.documentElement.scrollWidth > innerWidth';
