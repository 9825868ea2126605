import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { BatchEntry } from '../../shared/http/batches/list-batches.ts';
import { DAY_MS, entryAt, type MockedListing, mockListing } from './support/batch-data.ts';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
const NOW = Date.parse('2026-11-22T12:00:00Z');
const SECOND = 1_000;
let page: Page;

/** Creates completed batches, one per second, the newest at `ms`. */
const batchesFrom = (ms: number, count: number): BatchEntry[] =>
  Array.from({ length: count }, (_, n) => entryAt(ms - n * SECOND));

const running = (ms: number): BatchEntry =>
  entryAt(ms, { state: 'running', completedAt: null, pending: 400, ratePerSecond: 100, deadlineMet: null });

/** Opens the list with batches of the API's shape, at noon of a day. */
async function open(batches: BatchEntry[], query = ''): Promise<MockedListing> {
  page = await dashboard.open('inbox');
  await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
  await page.clock.install({ time: NOW });
  const mocked = await mockListing(page, batches, NOW);
  await page.goto(`${dashboard.stack.url}/api/dashboard#/batches${query}`);
  await page.getByRole('heading', { name: 'Batches', exact: true }).waitFor();
  return mocked;
}

const rows = () => page.locator('tbody tr');
const idsShown = (): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('tbody .row-link')].map((link) => link.title)`);

/** Triggers a refresh, and waits until the page shows its result. */
async function fetchChanges(mocked: MockedListing, ms = 3 * SECOND): Promise<void> {
  const before = mocked.asked.length;
  await page.clock.fastForward(ms);
  await expect.poll(() => mocked.asked.length).toBeGreaterThan(before);
}

describe('the list of batches', () => {
  it('shows every batch when more arrive while it is open, and refreshes older rows that are unfinished', async () => {
    const old = running(NOW - 2 * DAY_MS);
    const today = [running(NOW - SECOND), ...batchesFrom(NOW - 2 * SECOND, 120)];
    const before = [...batchesFrom(NOW - DAY_MS, 60), old, ...batchesFrom(NOW - 2 * DAY_MS - SECOND, 30)];
    const mocked = await open([...today, ...before]);
    await rows().nth(49).waitFor();
    for (const shown of [99, 149, 199, 211]) {
      await page.getByRole('button', { name: 'Older batches' }).click();
      await rows().nth(shown).waitFor();
    }

    // More than a page arrives between two refreshes, and an old batch finishes: no row is lost, none appears twice.
    const done = { ...old, state: 'completed', completedAt: new Date(NOW).toISOString(), pending: 0 } as const;
    mocked.batches = [
      ...batchesFrom(NOW + 80 * SECOND, 80),
      ...mocked.batches.map((batch) => (batch === old ? done : batch)),
    ];
    const asked = mocked.asked.length;
    await fetchChanges(mocked);
    await expect.poll(idsShown).toEqual(mocked.batches.map(({ id }) => id));
    const oldRow = rows().filter({ has: page.locator(`a[title="${old.id}"]`) });
    await oldRow.getByText('Completed', { exact: true }).waitFor();
    // The newest page, the gap behind it, and only the part with the old row.
    const look = mocked.asked.slice(asked).map(({ searchParams }) => searchParams);
    expect(
      look.filter((query) => query.get('day') === old.createdAt.slice(0, 10)).map((each) => each.get('limit')),
    ).toEqual(['1']);
    expect(look.length).toBeLessThanOrEqual(4);

    // A deleted batch disappears from the newest rows.
    mocked.batches = mocked.batches.slice(1);
    await fetchChanges(mocked);
    await expect.poll(idsShown).toEqual(mocked.batches.map(({ id }) => id));

    // Back restores the list.
    await rows().nth(200).getByRole('link').first().click();
    await page.getByText('All batches').waitFor();
    await page.goBack();
    await expect.poll(async () => (await idsShown()).length).toBe(mocked.batches.length);
  });

  it('continues automatically when a filter finds nothing, shows how far it has searched, and keeps the filter in the address', async () => {
    const wanted = entryAt(NOW - 3 * DAY_MS - 11_000 * SECOND, { workload: 'media', file: 'lost.csv' });
    const mocked = await open([...batchesFrom(NOW, 10_500), wanted], '?workload=media');
    await page.getByText('Searched 6,000 batches, back to 22 Nov (UTC).').waitFor();
    expect(mocked.asked.map(({ search }) => search).length).toBe(3);
    expect(await page.getByText('No such batch').count()).toBe(0);
    await dashboard.shot(page, 'batches-look-further');
    await page.getByRole('button', { name: 'Search further' }).click();
    await rows().filter({ hasText: 'lost.csv' }).waitFor();
    expect(await rows().count()).toBe(1);

    await page.getByLabel('Search').fill('nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('Searched 6,000 batches').waitFor();
    expect(page.url()).toContain('#/batches?workload=media&search=nowhere');
    await page.getByRole('button', { name: 'Search further' }).click();
    await page.getByText('No matching batch from 2026-11-16 to 2026-11-22 (UTC).').waitFor();
    await page.getByRole('button', { name: 'Search before 16 Nov' }).waitFor();
    await page.goBack();
    await rows().filter({ hasText: 'lost.csv' }).waitFor();
    await page.reload();
    await page.getByText('Searched 6,000 batches').waitFor();
    expect(await page.getByLabel('Workload').inputValue()).toBe('media');
  });

  it('cancels and deletes the selected batches, shows the effect before, and the result of each afterwards', async () => {
    const cancelling = { state: 'running', completedAt: null, deadlineMet: null } as const;
    const batches = [
      entryAt(NOW, { ...cancelling, pending: 400 }),
      entryAt(NOW - SECOND, { ...cancelling, pending: 1_000 }),
      entryAt(NOW - 2 * SECOND, { state: 'completedWithDeadLetters', dead: 12 }),
    ];
    const mocked = await open(batches);
    await page.route(/\/api\/batches\/[^/]+\/cancel$/, (route) =>
      route
        .request()
        .url()
        .includes(batches[0]?.id ?? '')
        ? route.fulfill({
            json: {
              ...batches[0],
              cancellation: { ended: { chunks: 1, items: 300 }, left: { chunks: 1, items: 100 } },
            },
          })
        : route.fulfill({ status: 409, json: { title: 'Conflict', detail: 'The batch is finished.' } }),
    );
    await page.route(/\/api\/batches\/[^/?]+$/, (route) => {
      expect(route.request().method()).toBe('DELETE');
      mocked.batches = mocked.batches.slice(0, 2);
      return route.fulfill({ status: 204 });
    });
    const dialog = page.getByRole('dialog');
    await page.getByLabel('Select all 3 batches shown').check();
    await page.getByRole('button', { name: 'Cancel …' }).click();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      '2 batches: 1,400 pending items will be cancelled',
      '600 finished items of them stay, with their results',
      '1 batch finished: stay as they are',
    ]);
    await dashboard.shot(page, 'batches-bulk', { fullPage: false });
    await dialog.getByRole('button', { name: 'Cancel 2 batches' }).click();
    await dialog.getByText('300 items cancelled, 100 items still to be stopped').waitFor();
    await dialog.getByText('The batch is finished.').waitFor();
    await dialog.getByText('2 of 2 batches done · 1 failed').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    await page
      .getByLabel(/^Select billing/)
      .last()
      .check();
    await page.getByText('1 batch selected').waitFor();
    await page.getByRole('button', { name: 'Delete …' }).click();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      '1 batch of 1,000 items will be deleted, with results, reports and receipts',
      '12 dead letters of them will be deleted, and cannot be redriven',
    ]);
    await dialog.getByRole('button', { name: 'Delete 1 batch' }).click();
    await dialog.getByText('deleted', { exact: true }).waitFor();
    // The result stays readable even if a refresh finds no batch any more.
    const left = mocked.batches;
    mocked.batches = [];
    await fetchChanges(mocked);
    await page.getByText('No batches yet').waitFor();
    await dialog.getByText('deleted', { exact: true }).waitFor();
    mocked.batches = left;
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await expect.poll(() => rows().count()).toBe(2);
  });
});
