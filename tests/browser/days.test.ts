import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Audit, History, HistoryDay } from '../../web/api/types.ts';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
let page: Page;
const BATCH = '01a205f2-2b21-7eca-afcb-6fa395008b2d';
const DAY_MS = 24 * 60 * 60 * 1_000;
const dayAt = (back: number): string => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10);

const day = (back: number, workload: string, changes: Partial<HistoryDay> = {}): HistoryDay => ({
  ...{ day: dayAt(back), workload, batches: 3, items: 1_000, dead: 0, discarded: 0, deadlinesMissed: 0 },
  ...{ latencyP95Ms: 4_200, deadlineMs: 300_000, itemsPerSecond: 240, operations: 90, usd: 0.000_4 },
  ...changes,
});

describe('the page of days', () => {
  it('has a line per workload, the days as rows, the actions of operators, and the cost of each day', async () => {
    const asked: URLSearchParams[] = [];
    await open();
    await page.route('**/api/history?*', (route) => {
      asked.push(new URL(route.request().url()).searchParams);
      const history: History = {
        ...{ from: dayAt(29), to: dayAt(0), scanned: 3, sheet: '2026' },
        ...{ currency: 'EUR', unverified: ['queue.class1'] },
        days: [day(2, 'billing'), day(1, 'billing', { dead: 25, deadlinesMissed: 1 }), day(1, 'media', { usd: 0.2 })],
        markers: [{ at: `${dayAt(1)}T09:00:00Z`, action: 'pause-queue', target: 'billing-normal-0', by: 'Ada' }],
      };
      return route.fulfill({ json: history });
    });
    await page.goto(`${dashboard.stack.url}/api/dashboard#/days?days=30`);
    await page.locator('.chart', { hasText: 'p95' }).locator('.legend li', { hasText: 'media' }).waitFor();
    expect(await page.locator('table.many-columns tbody td:first-child').allInnerTexts()).toEqual([
      expect.stringContaining(`${dayAt(1)}\nbilling`),
      expect.stringContaining(`${dayAt(1)}\nmedia`),
      expect.stringContaining(`${dayAt(2)}\nbilling`),
    ]);
    await page.getByRole('link', { name: '25, 2.5 %' }).waitFor();
    await page.getByText('0.20 EUR*', { exact: true }).waitFor();
    await page.getByText('* uses prices without a verified source: queue.class1.').waitFor();
    await page.getByText(`pause-queue billing-normal-0, by Ada`).waitFor();
    await page.locator('.plain-list').getByRole('link', { name: 'billing-normal-0' }).waitFor();
    await dashboard.shot(page, 'days');
    const link = page.getByRole('link', { name: '0.20 EUR*' });
    expect(await link.getAttribute('href')).toBe(`#/days?days=30&day=${dayAt(1)}`);
    await link.click();
    await page.getByRole('heading', { name: `Day ${dayAt(1)}` }).waitFor();
    await page.getByText('While there is nothing to do').waitFor();
    await page.goBack();
    await page.getByLabel('Workload').selectOption('media');
    await expect.poll(() => asked.at(-1)?.get('workload')).toBe('media');
    expect(page.url()).toContain('workload=media');
    await page.goBack();
    await expect.poll(() => page.getByLabel('Workload').inputValue()).toBe('');
  });
});

describe('the audit log', () => {
  it('has action, target and operator, and marks names that were not verified', async () => {
    await open();
    const at = `${dayAt(0)}T09:00:00Z`;
    const entry = { at, target: 'billing-normal-0', status: 200, detail: '', by: '', verified: false };
    const audit: Audit = {
      ...{ from: dayAt(6), to: dayAt(0) },
      entries: [
        { ...entry, action: 'pause-queue', by: 'Ada\u202eL', detail: 'month end' },
        { ...entry, action: 'cancel-batch', target: BATCH, by: 'grace@contoso.com', verified: true, status: 409 },
      ],
    };
    await page.route('**/api/audit?*', (route) => route.fulfill({ json: audit }));
    await page.goto(`${dashboard.stack.url}/api/dashboard#/audit?days=7&target=`);
    const [first, second] = [page.locator('tbody tr').nth(0), page.locator('tbody tr').nth(1)];
    await first.getByText('Ada[U+202E]L').waitFor();
    await first.getByText('unverified').waitFor();
    await first.getByText('month end').waitFor();
    await second.getByText('refused: 409').waitFor();
    expect(await second.getByText('unverified').count()).toBe(0);
    expect(await second.getByRole('link', { name: BATCH }).getAttribute('href')).toBe(`#/batches/${BATCH}`);
  });
});

/** Enters the key before the responses of the API are replaced. */
async function open(): Promise<void> {
  page = await dashboard.open('inbox');
  await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
}
