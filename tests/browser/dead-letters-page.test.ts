import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { DeadLettersOfBatches } from '../../web/api/types.ts';
import { finished, send } from '../helpers/client.ts';
import { usage } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
let page: Page;

const dialog = () => page.getByRole('dialog');
const button = (name: string | RegExp) => page.getByRole('button', { name });

describe('dead letters of all batches', () => {
  it('are filtered in the address, and redriven or discarded in one batch after the other', async () => {
    const records = [usage(1, { quantity: '-3' }), usage(2, { quantity: '-4' }), usage(3)];
    const { id } = await send(dashboard.stack, 'billing', records);
    await finished(dashboard.stack, id);
    page = await dashboard.open('overview');
    const cause = 'rejected: Reject: Expected a quantity zero or more for usage, got -#.';
    const other = '00000000-0000-7000-8000-000000000001';
    const asked: string[] = [];
    await page.route(/\/api\/dead-letters/, (route) => {
      asked.push(new URL(route.request().url()).search);
      return route.fulfill({ json: lettersOf(id, other, cause) });
    });
    await page.getByRole('link', { name: 'Dead letters', exact: true }).first().click();
    await page.getByText('78 items of 2 causes, 3 of them of causes that their batches do not list').waitFor();
    await page.getByText('1,234 batches from 2026-11-16 to 2026-11-22 (UTC) checked').waitFor();
    await page.getByLabel('Text of the cause').fill('quantity');
    await page.keyboard.press('Enter');
    await page.getByLabel('From day (UTC)').fill('2026-11-20');
    expect(page.url()).toContain('#/dead-letters?cause=quantity&from=2026-11-20');
    await page.reload();
    await page.getByText('70 items in 5 batches').waitFor();
    expect(await page.getByLabel('Text of the cause').inputValue()).toBe('quantity');
    expect(asked.at(-1)).toBe('?cause=quantity&from=2026-11-20');
    await dashboard.shot(page, 'dead-letters-of-batches');

    let release = (): void => {};
    const sent: unknown[] = [];
    await page.route(/\/dead-letters\/redrive$/, async (route) => {
      sent.push(route.request().postDataJSON());
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await route.fulfill({ json: { batch: id, revision: 1, redriven: 40, unreadable: 0, chunks: 1, at: '' } });
    });
    await button('Redrive in all').first().click();
    await page.getByRole('heading', { name: 'Redrive 60 items in 2 batches?' }).waitFor();
    await page.getByText('Not included: 1 batch that still runs, and 2 older batches.').waitFor();
    await page.getByLabel('Maximum items per second').fill('2');
    await page.getByText('At this rate they take at least 20 s.').waitFor();
    await button('Redrive 60 items').click();
    await button('Stop after this batch').click();
    await expect.poll(() => sent).toEqual([{ cause, ratePerSecond: 2 }]);
    release();
    await page.getByText('2 of 2 batches done').waitFor();
    expect(await dialog().locator('li .tag').allTextContents()).toEqual(['done', 'skipped']);
    await dialog().getByText('40 items run again, in revision 1').waitFor();
    await dialog().getByRole('button', { name: 'Close' }).last().click();

    await page.route(/\/dead-letters\/discard$/, (route) =>
      route.request().url().includes(other)
        ? route.fulfill({ status: 409, json: { title: 'Conflict', detail: 'Batch is running.' } })
        : route.fulfill({ json: { batch: id, revision: 1, discarded: 40, chunks: 1, at: '' } }),
    );
    await button('Discard in all').first().click();
    expect(await button('Discard 60 items').isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('test data');
    await button('Discard 60 items').click();
    await page.getByText('2 of 2 batches done · 1 failed').waitFor();
    await dialog().getByText('Batch is running.').waitFor();
    await dashboard.shot(page, 'dead-letters-of-batches-done');
    await dialog().getByRole('button', { name: 'Close' }).last().click();

    await page.getByRole('link', { name: 'march.ndjson' }).click();
    await page.getByText('2 of 2 loaded').waitFor();
    expect(await page.locator('.letters li').count()).toBe(2);
  });
});

function lettersOf(id: string, other: string, cause: string): DeadLettersOfBatches {
  const batch = { createdAt: '2026-11-21T10:00:00.000Z', state: 'completedWithDeadLetters' } as const;
  const group = { workload: 'billing', count: 5, batches: [{ ...batch, id: other, count: 5 }], moreBatches: 0 };
  const batches = [
    { ...batch, id, count: 40, file: 'march.ndjson', labels: { customer: 'acme', month: '2026-10' } },
    { ...batch, id: other, count: 20, file: '\u202egnp.exe.ndjson' },
    { ...batch, id: other.replace('1', '2'), count: 10, state: 'running' as const },
  ];
  return {
    ...{ from: '2026-11-16', to: '2026-11-22', count: 78, otherCauses: 3, scanned: 1_234, notScanned: 0 },
    groups: [
      { ...group, cause, count: 70, batches, moreBatches: 2 },
      { ...group, cause: 'exhausted: FetchError: The service answered 503' },
    ],
  };
}
