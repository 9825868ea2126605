import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ndjson } from '../helpers/data/transactions.ts';
import { entryAt } from './support/batch-data.ts';
import { uploadByDrop } from './support/dashboard.ts';
import { goodRecords, usage } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const FINISHED = 60_000;
const dashboard = useDashboard();
let page: Page;
/** A batch with dead letters, whose data contain markup. */
let id: string;

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
          ...{ since: '2026-11-22T12:00:00.000Z', notes: ['TURN'], importedFrom: 'TURN' },
        },
      ],
    });
    await answer(/\/api\/batches$/, {
      batches: [entryAt(Date.now(), { labels: { source: 'TURN' }, file: 'TURN' })],
      ...{ days: { from: '2026-11-16', to: '2026-11-22' }, scanned: { batches: 1, until: null } },
    });
    await page.route(/\/api\/cost$/, (route) =>
      route.fulfill({ status: 400, body: turned('{"title":"TURN","detail":"x TURN","errors":[]}') }),
    );
    for (const [path, count] of [
      [`batches/${id}/items`, 3],
      [`batches/${id}/report`, 6],
      ['inbox', 4],
      ['batches', 2],
      ['days', 2],
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
