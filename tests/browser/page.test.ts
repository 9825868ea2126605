import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../helpers/client.ts';
import { ndjson } from '../helpers/data/transactions.ts';
import { uploadByDrop } from './support/dashboard.ts';
import { goodRecords, usage } from './support/records.ts';
import { useDashboard } from './support/use-dashboard.ts';

const FINISHED = 60_000;
const LABELS = ['Overview', 'Items', 'Dead letters', 'Report', 'Receipt'];
const dashboard = useDashboard();
let page: Page;
/** A batch with a dead letter. */
let id: string;

const FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))';

beforeAll(async () => {
  ({ id } = await send(dashboard.stack, 'billing', [...goodRecords(8), usage(8, { quantity: '-1' })]));
  await finished(dashboard.stack, id);
});

const goTo = (path: string): Promise<unknown> => page.goto(`${dashboard.stack.url}/api/dashboard#/${path}`);

describe('a report that failed', () => {
  it('is shown as the state of the batch, with the reason and a button that builds it again', async () => {
    page = await dashboard.open(`batches/${id}`);
    // The key is stored after its first successful use: a reload before that asks for it again.
    await page.locator('h1 .tag').waitFor();
    const problem = 'The merge of key "acme|EUR" failed: TypeError: no amount';
    await page.route(`**/api/batches/${id}`, async (route) => {
      const batch = await (await route.fetch()).json();
      await route.fulfill({ json: { ...batch, state: 'reportFailed', reportRevision: null, reportProblem: problem } });
    });
    await goTo(`batches/${id}/report`);
    await page.reload();
    await page.locator('h1 .tag.bad', { hasText: 'Report failed' }).waitFor();
    await page.getByText(problem).waitFor();
    await dashboard.shot(page, 'report-failed');
    const asked = page.waitForRequest(/dead-letters\/redrive$/);
    await page.getByRole('button', { name: 'Build the report again' }).click();
    expect((await asked).postDataJSON()).toEqual({ report: true });
    // The real app knows that this batch has its report.
    await page.getByText('only a report that failed can be redriven').waitFor();
  });
});

describe('a deadline that is near', () => {
  it('stands beside the pace', async () => {
    page = await dashboard.open('batches');
    await page.locator('tbody tr').first().waitFor();
    await page.route(`**/api/batches/${id}`, async (route) => {
      const batch = await (await route.fetch()).json();
      const at = new Date(Date.now() + 90_000).toISOString();
      const deadline = { at, met: null, atRiskAt: at };
      await route.fulfill({ json: { ...batch, state: 'running', deadline, times: { ...batch.times, deadline: at } } });
    });
    await goTo(`batches/${id}`);
    await page.getByText(/^Deadline in 1 min \d+ s$/).waitFor();
  });
});

describe('a suspect batch', () => {
  it('says what is probably wrong, with the causes and an example', async () => {
    page = await dashboard.open('upload');
    const file = { name: 'other.ndjson', text: ndjson([{ order: 1 }, { order: 2 }]) };
    const suspect = await uploadByDrop(page, file);
    await page.getByText('Suspect').waitFor({ timeout: FINISHED });
    await goTo(`batches/${suspect}`);
    await page.locator('h1 .tag.bad', { hasText: 'Suspect' }).waitFor();
    await page.getByText('None of the items is valid.').waitFor();
    await page.getByText(/^For example at position 0: /).waitFor();
    await dashboard.shot(page, 'suspect');
    await goTo('batches');
    await page.getByLabel('State').selectOption('suspect');
    await page.locator('tbody tr', { hasText: 'Completed' }).waitFor({ state: 'hidden' });
    await page.locator('tbody tr', { hasText: 'Suspect' }).waitFor();
  });
});

describe('the address', () => {
  it('that leads nowhere shows "No such page", and each page has its title', async () => {
    page = await dashboard.open('batches/not-an-id');
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
    await expect.poll(() => page.title()).toBe('No such page · Sluice');
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await expect.poll(() => page.title()).toBe('Overview · Sluice');
    await page.goBack();
    await page.getByRole('heading', { name: 'No such page' }).waitFor();
  });
});

describe('the keyboard', () => {
  it('reaches everything, and a dialog restores the focus when it closes', async () => {
    page = await dashboard.open('batches');
    const focused = (): Promise<string> =>
      page.evaluate(
        `((at) => (at.matches('a, button, input, select, textarea') ? at.innerText || at.ariaLabel || '' : ''))(document.activeElement)`,
      );
    const tabTo = async (text: string): Promise<void> => {
      for (let step = 0; step < 100 && !(await focused()).includes(text); step += 1) await page.keyboard.press('Tab');
      expect(await focused()).toContain(text);
    };
    await page.locator('tbody tr').first().waitFor();
    await tabTo('Skip to content');
    await page.keyboard.press('Enter');
    await tabTo(`Select billing …${id.slice(-12)}`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Every item is accounted for').waitFor();
    for (const label of LABELS) await tabTo(label);

    await goTo(`batches/${id}/dead-letters`);
    await page.locator('.cause').first().waitFor();
    await tabTo('Edit and redrive');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect(await focused()).toContain('Edit and redrive');
  });

  it('opens a dialog again right after Escape', async () => {
    page = await dashboard.open(`batches/${id}/dead-letters`);
    await page.getByRole('button', { name: 'Edit and redrive' }).first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let round = 0; round < 10; round += 1) {
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      // A late report of the close must not close the new dialog. It arrives in a task before the next frame but one.
      await page.evaluate(FRAMES);
      expect(await page.getByRole('dialog').count()).toBe(1);
    }
  });
});
