import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { BatchNotices, Overview } from '../../shared/http/overview/schemas.ts';
import { axeFindings, loadAxe } from './support/axe.ts';
import type { OpenOptions } from './support/dashboard.ts';
import { hiddenControls, WIDTHS } from './support/outside.ts';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
const MINUTE = 60_000;
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const LONG = 'usage-of-the-year-2025-as-the-accounting-team-has-exported-it-for-the-month-of-march.ndjson';
const NONE: BatchNotices = { count: 0, batches: [] };
const CAUSE = 'invalid: InvalidItem: quantity';
const id = (n: number): string => `01980000-0000-7000-8000-00000000000${n}`;

/** An overview without problems. */
const well = (): Overview => ({
  at: ago(0),
  queues: {
    ...{ count: 8, draining: 1, paused: 0, messages: 3, measuredAt: ago(12_000), batches: 2, items: 1_234, read: 2 },
  },
  ...{ late: NONE, atRisk: NONE, pausedQueues: [], pausedBatches: NONE, failedReports: NONE, suspect: NONE },
  deadLetters: { since: ago(24 * 60 * MINUTE), count: 0, causes: [], isWhole: true },
  ...{ missedWakes: [], poison: [], stuck: [], inboxRejects: { count: 0, files: [] } },
});

/** One batch of a kind, and the total number of them. */
const notices = (n: number, reason?: string): BatchNotices => ({
  count: n + 1,
  batches: [
    {
      ...{ id: id(n), workload: 'billing', lane: 'normal', file: `\u202e${LONG}`, since: ago(n * MINUTE), items: n },
      ...(reason === undefined ? {} : { reason }),
    },
  ],
});

/** An overview with all problems. */
const troubled = (): Overview => ({
  ...well(),
  queues: { ...well().queues, paused: 2, messages: 40, batches: 40, items: 12_000, read: 20 },
  late: notices(1),
  atRisk: notices(2),
  failedReports: notices(3, 'The merge of key "acme|EUR" failed: TypeError: no amount'),
  suspect: notices(4, CAUSE),
  pausedBatches: notices(5, '9 of 10 items are dead letters'),
  pausedQueues: [
    {
      ...{ queue: 'billing-normal-0', workload: 'billing', by: 'operator', reason: 'ledger is down' },
      ...{
        since: ago(3 * MINUTE),
        messages: 40,
        batches: 40,
        items: 12_000,
        text: 'paused by an operator: ledger is down',
      },
    },
    {
      ...{ queue: 'billing-bulk-0', workload: 'billing', by: 'circuit', reason: '9 of 10 items failed' },
      ...{ since: ago(MINUTE), probeAt: '2026-11-23T14:03:22.000Z', messages: 1, batches: 1, items: 1 },
      text: 'paused by the circuit: 9 of 10 items failed; one task tries again at 2026-11-23 14:03:22 UTC',
    },
  ],
  deadLetters: {
    ...{ since: ago(24 * 60 * MINUTE), count: 50_000 },
    causes: [{ cause: CAUSE, workload: 'billing', count: 49_000, batches: 120, newest: id(6) }],
    isWhole: false,
  },
  missedWakes: [{ queue: 'payouts-bulk-0', count: 2, at: ago(5 * MINUTE) }],
  poison: [{ queue: 'billing-poison', messages: 1 }],
  stuck: [{ queue: 'media-bulk-0', since: ago(20 * MINUTE), reason: 'No heartbeat of its orchestration' }],
  inboxRejects: { count: 7, files: [{ name: `billing/normal/${LONG}`, since: ago(MINUTE), title: 'Not read' }] },
});

let page: Page;
let answer: () => Overview;
let asked: number;

async function open(options: OpenOptions = {}): Promise<void> {
  page = await dashboard.open('batches', options);
  await page.getByRole('heading', { level: 1, name: 'Batches' }).waitFor();
  asked = 0;
  await page.route('**/api/overview', async (route) => {
    asked += 1;
    await route.fulfill({ json: answer() });
  });
  await page.getByRole('link', { name: 'Overview' }).click();
}

const section = (title: string) => page.getByRole('region', { name: title, exact: true });

describe('the overview', () => {
  it('says that nothing needs attention, with one request, when all is well', async () => {
    answer = well;
    await open();
    await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor();
    expect(await page.locator('.trouble').count()).toBe(0);
    expect(await page.locator('.stats').textContent()).toContain('1,234 items pending');
    expect(asked).toBe(1);
    await dashboard.shot(page, 'overview-well');
  });

  it('has a section with an action for each kind of problem, completely inside its panel at every width', async () => {
    answer = troubled;
    await open({ bypassCSP: true, reducedMotion: 'reduce' });
    const titles = page.locator('.trouble h2');
    await titles.first().waitFor();
    expect(await titles.allTextContents()).toEqual([
      ...['Late batches 2', 'Batches at risk 3', 'Failed reports 4', 'Suspect batches 5', 'Paused batches 6'],
      ...['Paused queues 2', 'Stuck drains 1', 'Missed wakes 1', 'Poison messages 1'],
      ...['Dead letters 50,000', 'Rejected files 7'],
    ]);
    const links = (title: string): Promise<unknown> =>
      section(title)
        .locator('a')
        .evaluateAll((all) => [...new Set(all.map((each) => each.getAttribute('href')))]);
    expect(await links('Late batches')).toEqual([`#/batches/${id(1)}`]);
    expect(await links('Failed reports')).toEqual([`#/batches/${id(3)}`, `#/batches/${id(3)}/report`]);
    expect(await links('Stuck drains')).toEqual(['#/queues/media-bulk-0']);
    expect(await links('Dead letters')).toEqual([
      '#/dead-letters',
      `#/dead-letters?workload=billing&cause=${encodeURIComponent(CAUSE).replaceAll('%20', '+')}`,
      `#/batches/${id(6)}/dead-letters`,
    ]);
    await page.getByText('Only the 20 open batches with the earliest deadline were read').waitFor();
    await section('Dead letters').getByText('only the newest batches are counted').waitFor();
    expect(await links('Rejected files')).toEqual(['#/inbox']);
    await section('Paused queues').getByText('one task tries again at 2026-11-23 14:03:22 UTC').waitFor();
    await section('Late batches').getByText(`[U+202E]${LONG}`).waitFor();
    for (const width of WIDTHS) {
      expect([width, await hiddenControls(page, width)]).toEqual([width, []]);
      await page.setViewportSize({ width, height: 800 });
      if (width === 360 || width === 1440) await dashboard.shot(page, `overview-${width}`);
    }
    await loadAxe(page);
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFindings(page)).toEqual([]);
    await dashboard.shot(page, 'overview-dark');
  });

  it('is what the app answers', async () => {
    page = await dashboard.open('overview');
    await page.locator('.stats').waitFor();
    const { queues } = (await (await dashboard.stack.api('overview')).json()) as Overview;
    expect(await page.locator('.stat', { has: page.getByText('Queues', { exact: true }) }).textContent()).toBe(
      `Queues${queues.count}all on one page`,
    );
  });

  it('resumes a queue and sweeps, and shows the effect before and the result afterwards', async () => {
    answer = troubled;
    await open();
    const dialog = page.getByRole('dialog');
    let resumed = '';
    await page.route('**/api/queues/*/resume', (route) => {
      resumed = `${route.request().url()} ${route.request().postData()}`;
      answer = () => ({ ...troubled(), pausedQueues: [] });
      return route.fulfill({ json: {} });
    });
    await section('Paused queues').getByRole('button', { name: 'Resume queue' }).first().click();
    await dialog.getByText('40 messages, 12,000 items in 40 batches').waitFor();
    await dialog.getByRole('button', { name: 'Resume' }).click();
    await section('Paused queues').waitFor({ state: 'hidden' });
    expect(resumed).toMatch(/queues\/billing-normal-0\/resume \{"since":".*"\}$/);

    const done = ['1 missed wake found', '2 queues taken over from stuck drains'];
    const counts = { open: 40, missedWakes: 1, takenOver: 2, failed: 0, done };
    await page.route('**/api/sweep', (route) => route.fulfill({ json: counts }));
    await section('Stuck drains').getByRole('button', { name: 'Sweep now' }).click();
    await dialog.getByText('It checks 40 open batches and 8 queues').waitFor();
    answer = well;
    await dialog.getByRole('button', { name: 'Sweep now' }).click();
    await dialog.getByText('Checked 40 open batches: this was done.').waitFor();
    expect(await dialog.locator('li').allTextContents()).toEqual(done);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('heading', { name: 'Nothing needs attention' }).waitFor();
  });
});
