/**
 * Checks every page with the rules of axe-core, including contrast, heading order and scrollable regions, in light and
 * dark.
 */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../helpers/client.ts';
import { axeFindings, loadAxe } from './support/axe.ts';
import { goodRecords, usage } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const PAGES = ['overview', 'queues', 'batches', 'dead-letters', 'days', 'audit', 'inbox', 'upload'];
const dashboard = useDashboard();
let page: Page;
let paths: string[];

beforeAll(async () => {
  const { id } = await send(dashboard.stack, 'billing', [...goodRecords(8), usage(8, { quantity: '-1' })]);
  await finished(dashboard.stack, id);
  const tabs = ['', '/items', '/dead-letters', '/report', '/receipt'].map((tab) => `batches/${id}${tab}`);
  paths = [...PAGES, 'queues/billing-normal-0', ...tabs, 'nowhere'];
});

/** Returns the violations on a page, as rule and element. */
async function findings(path: string): Promise<string[]> {
  await page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'hidden' });
  return (await axeFindings(page)).map((finding) => `${path}: ${finding}`);
}

describe('the dashboard', () => {
  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
  ] as const)('violates no rule of axe-core on any page: %s, %s px', async (colorScheme, width) => {
    // The policy of the page would refuse the script of the test. This is the only difference.
    page = await dashboard.open('days', { colorScheme, bypassCSP: true, viewport: { width, height: 800 } });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await loadAxe(page);
    const found: string[] = [];
    for (const path of paths) found.push(...(await findings(path)));
    expect(found).toEqual([]);
  });
});
