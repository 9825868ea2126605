import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { entryAt, idAt, type MockedBatch, mockBatch, mockListing, revisionAt, viewAt } from './support/batch-data.ts';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
const NOW = Date.parse('2026-11-22T12:00:00Z');
const [SECOND, MINUTE] = [1_000, 60_000];
let page: Page;

const goTo = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);

/** Opens a batch of the API's shape, at noon of a day. */
async function open(batch: BatchView, path = ''): Promise<MockedBatch> {
  page = await dashboard.open('inbox');
  await page.getByRole('heading', { name: 'Inbox', exact: true }).waitFor();
  await page.clock.install({ time: NOW });
  const mocked = await mockBatch(page, batch);
  await page.route(/\/api\/audit/, (route) =>
    route.fulfill({
      json: {
        ...{ from: '2026-11-22', to: '2026-11-22' },
        entries: [
          {
            ...{ at: '2026-11-22T11:50:00.000Z', action: 'redrive-dead-letters', target: batch.id },
            ...{ by: 'Ada', verified: false, detail: 'all', status: 202 },
          },
        ],
      },
    }),
  );
  await goTo(`batches/${batch.id}${path}`);
  await page.locator('h1 .tag').waitFor();
  return mocked;
}

/** An upload that was 12 s late, a redrive, a discard, and the current redrive, which has no times yet. */
function redriven(): BatchView {
  const deadline = new Date(NOW - 50 * MINUTE).toISOString();
  const completed = new Date(NOW - 50 * MINUTE + 12 * SECOND).toISOString();
  const revisions = [
    revisionAt(NOW - 60 * MINUTE, { deadline, completed }),
    revisionAt(NOW - 40 * MINUTE, { revision: 1, kind: 'redrive', items: 40 }),
    revisionAt(NOW - 30 * MINUTE, {
      revision: 2,
      kind: 'discard',
      items: 3,
      reason: 'test data \u202excod',
      started: null,
    }),
    revisionAt(NOW - MINUTE, {
      revision: 3,
      kind: 'redrive',
      items: 10,
      started: null,
      completed: null,
      latencyMs: null,
    }),
  ];
  const counts = { accepted: 1_000, succeeded: 980, dead: 7, discarded: 3, cancelled: 0, pending: 10 };
  return viewAt(NOW - 60 * MINUTE, revisions, {
    state: 'running',
    counts: { ...counts, retried: 0, duplicatesSeen: 0 },
    progress: { chunks: 1, items: 10, ended: 4, inFlight: 2, failing: 0, at: new Date(NOW).toISOString() },
  });
}

describe('a batch that was redriven', () => {
  it('keeps the times of each revision, and its missed deadline', async () => {
    const mocked = await open(redriven());
    const rows = page.locator('.revisions tbody tr');
    expect(await rows.locator('.main-cell strong').allTextContents()).toEqual([
      'Redrive 3',
      'Discard 2',
      'Redrive 1',
      'Upload',
    ]);
    expect((await rows.nth(3).locator('td').allTextContents()).slice(1)).toEqual([
      ...['11:00:01 UTC', '11:00:02 UTC', '11:10:12 UTC', '10 min 12 s', '1,000', '2.0 s'],
    ]);
    await rows.nth(1).getByText('test data [U+202E]xcod').waitFor();
    await page.getByText('Started, no chunk has finished yet').waitFor();
    expect(await page.getByText('Not started yet').count()).toBe(0);
    await page.getByText(/^deadline missed, 12 s late$/).waitFor();
    expect(await page.locator('.timeline strong').allTextContents()).toEqual([
      'Redriven',
      'Queued',
      'Started',
      'Completed',
      'Reported',
    ]);
    expect(await page.locator('.law').textContent()).toMatch(/980.*7.*discarded\s*\+\s*3.*0.*10.*=\s*1,000/s);
    await page.getByText('Every item is accounted for').waitFor();
    await page.getByText('unverified').waitFor();
    await expect.poll(() => page.title()).toBe('Overview · billing …000000000000 · Sluice');
    await dashboard.shot(page, 'batch-revisions');

    await rows.nth(1).getByRole('link', { name: 'Discard 2' }).click();
    // A discard puts nothing on the queue and starts nothing.
    await page.getByRole('heading', { name: 'Timeline: discard 2' }).waitFor();
    expect(await page.locator('.timeline strong').allTextContents()).toEqual(['Discarded', 'Completed']);
    await page.reload();
    await page.getByRole('heading', { name: 'Timeline: discard 2' }).waitFor();
    const discarded = { position: 4, state: 'discarded', reason: 'test data \u202excod' };
    await page.route('**/items?*', (route) => route.fulfill({ json: { batch: mocked.batch.id, items: [discarded] } }));
    await page.getByRole('link', { name: 'Items', exact: true }).click();
    await page.getByRole('button', { name: 'Discarded 3' }).waitFor();
    await page.locator('.items').getByText('test data [U+202E]xcod').waitFor();
    await page.goBack();

    const { batch } = mocked;
    mocked.batch = {
      ...{ ...batch, state: 'completed', progress: undefined },
      revisions: batch.revisions.with(3, revisionAt(NOW - MINUTE, { revision: 3, kind: 'redrive', items: 10 })),
    } as BatchView;
    await page.clock.fastForward(3 * SECOND);
    await page.locator('h1 .tag.good').waitFor();
    await page.getByText(/^deadline missed, 12 s late$/).waitFor();
    await mockListing(page, [entryAt(NOW - 60 * MINUTE, { revision: 3, deadlineMet: false })], NOW);
    await goTo('batches');
    expect(await page.locator('.deadline .tone-bad').textContent()).toBe('missed; ');
    expect(await page.locator('.deadline small').textContent()).toBe('missed; revision 3 took 1.0 s of 10 min');
  });
});

const LOGS = 'https://logs.example/?query=1';

describe('a batch that waits', () => {
  it('shows at the top which queue blocks it, who paused the queue and why, and links to the queue', async () => {
    const upload = revisionAt(NOW - 5 * MINUTE, { queued: null, started: null, completed: null, latencyMs: null });
    const counts = { accepted: 1_000, succeeded: 0, dead: 0, discarded: 0, cancelled: 0, pending: 1_000 };
    const queue = 'billing-normal-0';
    await open(
      viewAt(NOW - 5 * MINUTE, [upload], {
        ...{ state: 'queued', reportRevision: null, counts: { ...counts, retried: 0, duplicatesSeen: 0 } },
        blocked: { queue, since: '2026-11-22T11:40:00.000Z', reason: 'paused by the circuit: the ledger is down' },
        notes: [
          { tone: 'warn', text: `blocked by queue ${queue}: the ledger is down`, queue },
          { tone: 'info', text: 'behind 3 batches', queue: 'another-0' },
        ],
        links: { self: '', results: '', report: '', deadLetters: '', logs: LOGS },
      }),
      '/report',
    );
    const notice = page.locator('.why .warn');
    expect(await notice.textContent()).toBe('blocked by queue billing-normal-0: the ledger is down');
    expect(await page.locator('.why .info').textContent()).toBe('behind 3 batches');
    await page.locator('.pace').getByText('Blocked').waitFor();
    const logs = page.getByRole('link', { name: 'Logs' });
    expect([await logs.getAttribute('href'), await logs.getAttribute('rel')]).toEqual([LOGS, 'noopener noreferrer']);
    expect(await page.getByRole('link', { name: 'Trace' }).count()).toBe(0);
    await dashboard.shot(page, 'batch-waits');
    await notice.getByRole('link', { name: queue }).click();
    await page.waitForURL(/#\/queues\/billing-normal-0$/);
  });
});

describe('a failed report', () => {
  it('is red on every tab and in the list, with the reason and the repair', async () => {
    const upload = revisionAt(NOW - MINUTE);
    const problem = 'The merge of key "acme|EUR" failed';
    const batch = viewAt(NOW - MINUTE, [upload], {
      state: 'reportFailed',
      reportRevision: null,
      reportProblem: problem,
    });
    await open(batch);
    for (const tab of ['', '/report']) {
      await goTo(`batches/${batch.id}${tab}`);
      await page
        .locator('.notice.bad', { hasText: problem })
        .getByRole('button', { name: 'Build the report again' })
        .waitFor();
      await page.locator('.tabs .badge.bad', { hasText: 'failed' }).waitFor();
    }
    await dashboard.shot(page, 'batch-report-failed');
    await mockListing(page, [entryAt(NOW - MINUTE, { state: 'reportFailed' })], NOW);
    await goTo('batches');
    const row = page.locator('tbody tr');
    await row.locator('.tag.bad', { hasText: 'Report failed' }).waitFor();
    await row.getByRole('link', { name: 'Reason and repair' }).click();
    await page.waitForURL(/\/report$/);
  });
});

describe('a report', () => {
  it('keeps all digits of its numbers', async () => {
    const batch = viewAt(NOW - MINUTE, [revisionAt(NOW - MINUTE)]);
    const [large, small] = ['12345678901234567890.25', '1.500000000000000000001'];
    await open(batch);
    await page.route(/\/report\?format=ndjson/, (route) =>
      route.fulfill({
        contentType: 'application/x-ndjson',
        body: `{"key":"a","value":${small}}\n{"key":"b","value":${large}}\n`,
      }),
    );
    await page.getByRole('link', { name: 'Report' }).click();
    await page.locator('tbody td.number').first().waitFor();
    expect(await page.locator('tbody td.number').allTextContents()).toEqual(['12,345,678,901,234,567,890.25', small]);
    expect(await page.locator('.bar-name').allTextContents()).toEqual(['b', 'a']);
    await page.getByLabel('Keys').fill('A');
    await expect.poll(() => page.locator('.bar-name').allTextContents()).toEqual(['a']);
    await page.reload();
    await expect.poll(() => page.locator('.bar-name').allTextContents()).toEqual(['a']);
  });
});

describe('an unknown batch', () => {
  it('gets a page that says so and links to the list; so does one that is deleted while it is shown', async () => {
    const batch = viewAt(NOW - MINUTE, [revisionAt(NOW - MINUTE)]);
    await open(batch);
    await page.unroute(`**/api/batches/${batch.id}`);
    await page.clock.fastForward(10 * SECOND);
    await page.getByRole('heading', { name: 'This batch is gone' }).waitFor();
    await goTo(`batches/${idAt(NOW, 7)}/items`);
    await page.getByRole('heading', { name: 'No batch has this id' }).waitFor();
    await expect.poll(() => page.title()).toBe('No such batch · Sluice');
    await dashboard.shot(page, 'batch-unknown');
    await page.getByRole('link', { name: 'Go to the list of batches' }).click();
    await page.getByRole('heading', { name: 'Batches', exact: true }).waitFor();
  });
});
