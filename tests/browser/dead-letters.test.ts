import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { BatchView } from '../../web/api/types.ts';
import { finished, send } from '../helpers/client.ts';
import { goodRecords, type Usage, usage } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const FINISHED = 60_000;
const dashboard = useDashboard();
let page: Page;

/** Sends records, waits until their batch is finished, and opens its dead letters. */
async function openLetters(records: readonly Usage[]): Promise<string> {
  const { id } = await send(dashboard.stack, 'billing', records);
  await finished(dashboard.stack, id);
  page = await dashboard.open(`batches/${id}/dead-letters`);
  await page.locator('.cause').first().waitFor();
  return id;
}

const dialog = () => page.getByRole('dialog');
const button = (name: string | RegExp) => page.getByRole('button', { name });

describe('the dead letters of a batch', () => {
  it('are searched, corrected one by one, and checked by the schema before they are sent', async () => {
    const bad = [usage(7, { quantity: '-3' }), usage(8, { quantity: '-4' }), usage(9, { currency: 'XXD' })];
    await openLetters([...goodRecords(7), ...bad]);
    await page.getByText('3 items of 2 causes').waitFor();
    await button('Show all 2').click();
    await page.locator('.letter-head', { hasText: 'Line 9' }).waitFor();
    await page.getByText('Stack trace', { exact: true }).first().click();
    const frame = page.getByText(/at \w+ \(workloads\/billing\/rate\.ts:\d+:\d+\)/);
    await frame.first().waitFor();
    await page.getByLabel('Search in these dead letters').fill('tx-8');
    await page.getByText('1 found among 2 of 2 loaded').waitFor();
    await page.reload();
    await page.getByText('1 found among 2 of 2 loaded').waitFor();
    await dashboard.shot(page, 'dead-letters');

    const open = page.locator('.cause', { has: page.getByLabel('Search in these dead letters') });
    await open.getByRole('button', { name: 'Edit and redrive' }).click();
    const item = page.getByLabel('Item, as JSON');
    const text = await item.inputValue();
    await item.fill('{"id":');
    expect(await button('Redrive corrected').isDisabled()).toBe(true);
    await item.fill(text.replace('"-4"', '"4"').replace('{', '{\n  "note": 12345678901234567890.10,'));
    expect(await dialog().locator('del').allTextContents()).toEqual(['−   "quantity": "-4",']);
    const added = ['+   "note": 12345678901234567890.10,', '+   "quantity": "4",'];
    expect(await dialog().locator('ins').allTextContents()).toEqual(added);
    await dashboard.shot(page, 'dead-letter-edit');

    // What the schema refuses is sent only on request, exactly as typed.
    let sent: string | null = null;
    await page.route(/\/dead-letters\/redrive$/, (route) => {
      sent = route.request().postData();
      return route.fulfill({ json: { redriven: 1, revision: 0 } });
    });
    await item.fill('{"id": "tx-8", "note": 12345678901234567890.10}');
    await button('Redrive corrected').click();
    await dialog().locator('p.tone-bad').first().waitFor();
    await dashboard.shot(page, 'dead-letter-refused');
    expect(sent).toBeNull();
    await button('Redrive all the same').click();
    await expect
      .poll(() => sent)
      .toBe('{"corrected":[{"index":8,"item":{"id":"tx-8","note":12345678901234567890.10}}]}');
    await page.unroute(/\/dead-letters\/redrive$/);
    await page.keyboard.press('Escape');

    const currency = page.locator('.cause', { has: page.getByRole('heading', { name: /^currency/ }) });
    await currency.getByRole('button', { name: 'Edit and redrive' }).click();
    await item.fill((await item.inputValue()).replace('XXD', 'USD'));
    await button('Redrive corrected').click();
    await dialog().getByText('Succeeded').waitFor({ timeout: FINISHED });
    expect(await dialog().locator('.try-result code').textContent()).toContain('"currency":"USD"');
    await dialog().getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('2 items of 1 cause').waitFor();
  });
});

describe('several dead letters', () => {
  it('run again, one of them before the others; the rest can be discarded', async () => {
    const id = await openLetters([...goodRecords(4), ...[4, 5, 6, 7].map((n) => usage(n, { quantity: `-${n}` }))]);
    await button('Show all 4').click();
    await page.getByRole('checkbox', { name: 'Line 5' }).check();
    await page.getByRole('checkbox', { name: 'Line 6' }).check();
    await page.getByRole('checkbox', { name: 'Line 7' }).check();
    await page.getByText('4 of 4 loaded, 3 selected').waitFor();
    await button('Redrive 3 selected').click();
    await page.getByRole('heading', { name: 'Redrive 3 items?' }).waitFor();
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/redrive')) sent.push(request.postData());
    });
    await button('Try one first').click();
    await dialog().locator('.try-result', { hasText: 'Dead again' }).waitFor({ timeout: FINISHED });
    expect(await dialog().locator('.try-result .cause-text').textContent()).toContain('quantity');
    await dashboard.shot(page, 'dead-letters-tried', { fullPage: false });
    await button('Redrive the other 2').click();
    await page.getByText('2 items run again, in revision 2 of this batch.').waitFor();
    expect(sent).toEqual(['{"items":[4]}', '{"items":[5,6]}']);
    await finished(dashboard.stack, id);
    await page.reload();
    await page.getByText('4 items of 1 cause').waitFor();

    await button('Discard').last().click();
    await page.getByText('They count as discarded from then on').waitFor();
    expect(await button('Discard 4 items').isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('sent twice');
    await button('Discard 4 items').click();
    await page.getByText('4 items discarded. A new report follows.').waitFor();
    await page.getByText('No item of this batch is dead.').waitFor({ timeout: FINISHED });
  });
});

describe('a batch whose dead letters change', () => {
  it('is polled by its row only: no other request, nothing vanishes, and typed text stays', async () => {
    const id = await openLetters([usage(1, { quantity: '-3' }), usage(2, { currency: 'XXD' })]);
    const row = (await (await dashboard.stack.api(`batches/${id}`)).json()) as BatchView;
    const { groups } = (await (await dashboard.stack.api(`batches/${id}/dead-letters`)).json()) as {
      groups: { cause: string; reason: string; count: number; example: { index: number } }[];
    };
    const [first, second] = [groups[0]?.cause ?? '', groups[1]?.cause ?? ''];
    const now = { state: 'running' as BatchView['state'], revision: 0, dead: 10 };
    const causes = () => ({ [first]: now.dead - 2, [second]: 2 });
    await page.route(`**/api/batches/${id}`, (route) => {
      const counts = { ...row.counts, accepted: 1_000, dead: now.dead, pending: 100 };
      return route.fulfill({ json: { ...row, ...now, counts, causes: causes(), reportRevision: null } });
    });
    const asked: string[] = [];
    await page.route(/\/dead-letters\?/, (route) => {
      const cause = new URL(route.request().url()).searchParams.get('cause');
      asked.push(cause === null ? 'groups' : 'cause');
      const counts = Object.values(causes());
      const all = groups.map((group, n) => ({ ...group, count: counts[n] }));
      const example = groups.find((group) => group.cause === cause)?.example;
      const items = Array.from({ length: 5 }, (_, n) => ({ ...example, index: n, line: n + 1 }));
      const body =
        cause === null ? { batch: id, count: now.dead, scanned: now.dead, groups: all, otherCauses: 0 } : { items };
      return route.fulfill({ json: body });
    });
    await page.clock.install();
    await page.reload();
    await page.getByText('10 items of 2 causes').waitFor();
    await button('Show all 8').click();
    await page.locator('.letters li').nth(4).waitFor();
    expect(asked).toEqual(['cause']);
    await page.evaluate(`new MutationObserver(() => {
      const isWhole = document.querySelectorAll('.cause').length === 2 && document.querySelectorAll('.letters li').length > 4;
      if (!isWhole || document.querySelector('main .loading')) window.flashed = document.querySelector('main').innerHTML;
    }).observe(document.body, { childList: true, subtree: true })`);
    /** Triggers refreshes until the page shows this number. */
    const grow = async (dead: number): Promise<void> => {
      now.dead = dead;
      await page.clock.runFor(3_100);
      await page.getByText(`${dead} items of 2 causes`).waitFor();
    };
    for (const dead of [20, 30, 40, 50, 60]) await grow(dead);
    expect(asked).toEqual(['cause']);
    now.state = 'completedWithDeadLetters';
    await grow(61);
    await page.clock.runFor(100);
    await expect.poll(() => asked.toSorted()).toEqual(['cause', 'cause', 'groups']);

    await button('Edit and redrive').nth(1).click();
    const item = page.getByLabel('Item, as JSON');
    await item.fill('{"id":"typed"}');
    Object.assign(now, { state: 'running', revision: 1 });
    await page.clock.runFor(30_000);
    await page.getByText('once the batch is finished').waitFor();
    await grow(70);
    await grow(80);
    expect(await item.inputValue()).toBe('{"id":"typed"}');
    expect(await button('Redrive corrected').isDisabled()).toBe(true);
    expect(asked).toHaveLength(3);
    now.state = 'completedWithDeadLetters';
    await grow(81);
    expect(await item.inputValue()).toBe('{"id":"typed"}');
    expect(await button('Redrive corrected').isEnabled()).toBe(true);
    await page.clock.runFor(100);
    await expect.poll(() => asked.length).toBe(5);
    expect(await page.evaluate('window.flashed')).toBeUndefined();
  });
});
