/** `npm run screenshots`: takes the pictures of the README from a run of the real app. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { ROOT } from '../../demo/root.ts';
import { usageBlocks } from '../../demo/usage/generate.ts';
import { ask, finished, submit } from '../helpers/client.ts';
import { ndjson } from '../helpers/data/transactions.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';
import { goodRecords } from './support/records.ts';

const IMAGES = join(ROOT, 'docs/images');
const VIEW = { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 };
/** Short slices and small tasks: a wave every few seconds, as in a large deployment with far more items. */
const SETTINGS = { SLUICE_SLICE_SECONDS: '2', SLUICE_THREADS: '1' };
const POLICY = { thresholds: [{ tasks: 100 }], capacity: 12, headroom: 0.25, targetSeconds: 0.5 };
const QUEUES = ['billing-high-0', 'billing-normal-0', 'billing-bulk-0'];

/** A page needs few colours, which keep the picture small. */
async function picture(page: Page, name: string): Promise<void> {
  const png = await page.screenshot();
  const small = await sharp(png).png({ palette: true, colours: 128, dither: 0, effort: 10 }).toBuffer();
  await writeFile(join(IMAGES, `${name}.png`), small);
  process.stdout.write(`docs/images/${name}.png  ${Math.ceil(small.length / 1024)} KiB\n`);
}

const upload = (to: Dashboard, items: number, seed: number, lane: string): Promise<string> =>
  send(to, [...usageBlocks({ items, seed })].join(''), lane);

const send = async ({ stack }: Dashboard, body: string, lane: string): Promise<string> =>
  (await submit(stack, body, {}, `?lane=${lane}`)).id;

/** Waits until this share of a batch is done, so that the pages show progress on a machine of any speed. */
async function waitForShare({ stack }: Dashboard, id: string, share: number): Promise<void> {
  for (;;) {
    const batch = await ask(stack, id);
    if (batch && batch.counts.pending <= batch.counts.accepted * (1 - share)) return;
    await sleep(200);
  }
}

const waitForEnd = ({ stack }: Dashboard, id: string): Promise<unknown> => finished(stack, id, 600);

async function setPolicies({ stack }: Dashboard): Promise<void> {
  const init = { method: 'PUT', body: JSON.stringify(POLICY) };
  for (const queue of QUEUES) await stack.api(`queues/${queue}/policy`, init);
}

/** Small finished batches for the listing. */
async function past(dashboard: Dashboard): Promise<string> {
  const first = await upload(dashboard, 60_000, 3, 'normal');
  for (const [items, seed] of [
    [900, 4],
    [4_000, 5],
    [12_000, 6],
  ] as const) {
    await waitForEnd(dashboard, await upload(dashboard, items, seed, 'high'));
  }
  await waitForEnd(dashboard, await send(dashboard, ndjson(goodRecords(8_000)), 'normal'));
  await waitForEnd(dashboard, first);
  return first;
}

/** A paused queue with a backlog. */
async function trouble({ stack }: Dashboard): Promise<void> {
  const body = JSON.stringify({ reason: 'month end: the ledger is closed' });
  await stack.api('queues/billing-high-0/pause', { method: 'POST', body });
  for (const [items, seed] of [
    [3_000, 9],
    [1_200, 10],
  ] as const) {
    await submit(stack, [...usageBlocks({ items, seed })].join(''), {}, '?lane=high');
  }
}

async function takePictures(dashboard: Dashboard): Promise<void> {
  await setPolicies(dashboard);
  const done = await past(dashboard);
  const page = await dashboard.open('queues', VIEW);
  const at = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);
  await page.locator('.chart').first().waitFor();
  const normal = await upload(dashboard, 200_000, 8, 'normal');
  const bulk = await upload(dashboard, 900_000, 7, 'bulk');
  await waitForShare(dashboard, bulk, 0.3);
  await picture(page, 'queues');
  await page.emulateMedia({ colorScheme: 'dark' });
  await at('batches');
  await page.locator('tbody tr').nth(4).waitFor();
  await picture(page, 'batches');
  await page.emulateMedia({ colorScheme: 'light' });
  await waitForEnd(dashboard, bulk);
  await waitForEnd(dashboard, normal);
  await trouble(dashboard);
  for (const [path, name, shown] of [
    ['overview', 'overview', '.trouble'],
    [`batches/${done}`, 'batch', '.timeline'],
    [`batches/${done}/dead-letters`, 'dead-letters', '.cause'],
    [`batches/${done}/receipt`, 'receipt', '.bar-list'],
  ] as const) {
    await at(path);
    await page.locator(shown).first().waitFor();
    await page.waitForTimeout(1_000);
    await picture(page, name);
  }
}

await mkdir(IMAGES, { recursive: true });
const dashboard = await startDashboard({ settings: SETTINGS });
try {
  await takePictures(dashboard);
} finally {
  await dashboard.stop();
}
