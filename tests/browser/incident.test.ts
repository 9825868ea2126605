/** A complete incident as an operator sees it, on a separate stack with a downstream that fails. */
import { cp } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../../demo/root.ts';
import { ask, type BatchAnswer, send } from '../helpers/client.ts';
import { buildOddApp } from '../helpers/odd-app.ts';
import { type Dashboard, startDashboard } from './support/dashboard.ts';

const SETTINGS = { SLUICE_VISIBILITY_SECONDS: '10', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };
const QUEUE = 'outage-normal-0';
/** The circuit probes after 10 s, then after 20 s. This is long enough for both on a busy machine. */
const SOON = { timeout: 90_000 };

let dashboard: Dashboard;
let downstream: Server;
let page: Page;
let url = '';
let status = 503;

beforeAll(async () => {
  downstream = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => downstream.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(downstream.address() as AddressInfo).port}/`;
  const appFolder = await buildOddApp('odd-incident');
  // The copy contains only the app; the page is the one in the build.
  await cp(join(ROOT, 'dist/web'), join(appFolder, 'dist/web'), { recursive: true });
  dashboard = await startDashboard({ appFolder, settings: SETTINGS });
});
afterAll(async () => {
  await dashboard?.stop();
  downstream?.close();
});

const upload = (count: number, others: readonly object[] = []): Promise<{ id: string }> => {
  const items = Array.from({ length: count }, (_, n) => ({ n, do: 'call', url }));
  return send(dashboard.stack, 'outage', [...items, ...others]);
};
const section = (title: string) => page.locator('.trouble', { has: page.getByRole('heading', { name: title }) });
const button = (name: string | RegExp) => page.getByRole('button', { name });

it('an outage is shown and waited for, and its dead letters are corrected, until nothing needs attention', async () => {
  page = await dashboard.open('overview');
  await page.getByText('Nothing needs attention').waitFor();

  // The downstream is unavailable: the circuit pauses the queue, and new work waits.
  await upload(60);
  const paused = section('Paused queues');
  await paused.getByRole('link', { name: QUEUE }).waitFor(SOON);
  await paused.getByText('by the circuit').waitFor();
  await paused.getByText(/items failed for retry, one with Error: downstream answered 503/).waitFor();
  const bad = Array.from({ length: 10 }, (_, n) => ({ n: 30 + n, do: 'reject' }));
  const { id } = await upload(30, bad);
  // The number of pending items depends on what the circuit has tried by then.
  await paused.getByText(/items in 2 batches/).waitFor(SOON);
  await dashboard.shot(page, 'incident-overview');

  // The batch shows what it waits for, and links to it.
  await page.goto(`${dashboard.stack.url}/api/dashboard#/batches/${id}`);
  await page.locator('main').getByRole('link', { name: QUEUE }).first().click();
  await page.getByRole('heading', { name: QUEUE, level: 1 }).waitFor();
  await page
    .getByText(/by the circuit/)
    .first()
    .waitFor();
  await page
    .getByText(/downstream answered 503/)
    .first()
    .waitFor();

  // The downstream is available again: the queue continues automatically, and the overview has the dead letters.
  status = 200;
  await page.getByRole('link', { name: 'Overview', exact: true }).first().click();
  const dead = section('Dead letters');
  await dead.getByText('10 items').waitFor(SOON);
  await paused.waitFor({ state: 'detached', ...SOON });
  await dead.getByRole('link', { name: 'Correct or discard' }).click();

  // One dead letter is corrected in the page, and the others like it by one command.
  await page.getByRole('heading', { name: /no such account/ }).waitFor();
  await page.locator(`a[href*="${id}"]`).first().click();
  await page.getByText('10 of 10 loaded').waitFor();
  await button('Edit and redrive').first().click();
  const item = page.getByLabel('Item, as JSON');
  await item.fill((await item.inputValue()).replace('"reject"', '"work"'));
  await button('Redrive corrected').click();
  await page.locator('.try-result', { hasText: 'Succeeded' }).waitFor(SOON);
  await button('Close').last().click();
  await page.getByText('9 of 9 loaded').waitFor();
  const body = JSON.stringify({ patch: { do: 'work' } });
  await dashboard.stack.api(`batches/${id}/dead-letters/redrive`, { method: 'POST', body });
  // The page may still show the state before the redrive.
  await expect.poll(async () => (await ask(dashboard.stack, id))?.state, SOON).toBe('completed');
  await page.locator('h1 .tag').getByText('Completed', { exact: true }).waitFor(SOON);

  // The upload is judged by its own completion, not by later redrives.
  const { counts, deadline, revision } = (await ask(dashboard.stack, id)) as BatchAnswer;
  expect(counts).toMatchObject({ accepted: 40, succeeded: 40, dead: 0 });
  expect({ revision, met: deadline.met }).toEqual({ revision: 2, met: true });
  await page.getByText(/deadline met/).waitFor();

  await page.getByRole('link', { name: 'Overview', exact: true }).first().click();
  await page.getByText('Nothing needs attention').waitFor(SOON);
  expect(dashboard.faults).toEqual([]);
});
