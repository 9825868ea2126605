import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Audit } from '../../shared/http/audit/routes.ts';
import type { PolicyView, QueueDetails, WaveView } from '../../shared/http/queues/schemas.ts';
import { axeFindings, loadAxe } from './support/axe.ts';
import type { OpenOptions } from './support/dashboard.ts';
import { hiddenControls, WIDTHS } from './support/outside.ts';
import { useDashboard } from './support/use-dashboard.ts';

const dashboard = useDashboard();
const MINUTE = 60_000;
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();
const NAME = 'billing-bulk-0';
const REASON = 'The ledger refuses bookings of this month until it is closed: ask the accounting team \u202eright away';
let page: Page;

/** Waves of a queue that fills up. The policy has bounded the first one, a throttling service the last one. */
const WAVES: WaveView[] = (
  [
    [90, 9, 'work'],
    [200, 20, 'work'],
    [2_000, 75, 'capacity'],
    [2_500, 12, 'throttling'],
  ] as const
).map(([depth, tasks, bound], n, { length }) => ({
  ...{ at: ago((length - n) * MINUTE), seconds: 40, depth, tasks, bound, late: false, limitedBy: `the ${bound}` },
  ...{ done: tasks * 4, items: tasks * 2_000, throttled: bound === 'throttling' ? 9 : 0, secondsPerReference: 1 },
}));

const AUDIT: Audit = {
  ...{ from: '2026-11-17', to: '2026-11-23' },
  entries: [
    {
      ...{ at: ago(3 * MINUTE), action: 'pause-queue', target: NAME, by: 'Ada', verified: false },
      ...{ detail: REASON, status: 200 },
    },
  ],
};

const dialog = (): Locator => page.getByRole('dialog');
const policyOf = async (): Promise<PolicyView> =>
  (await (await dashboard.stack.api(`queues/${NAME}/policy`)).json()) as PolicyView;

/** Responds as the app does, with `changes` and with waves that would take too long to wait for. */
async function answerQueue(changes: () => Partial<QueueDetails>): Promise<void> {
  await page.route(`**/api/queues/${NAME}`, async (route) => {
    const queue = (await (await route.fetch()).json()) as QueueDetails;
    await route.fulfill({ json: { ...queue, waves: WAVES, ...changes() } });
  });
  await page.route('**/api/audit?*', (route) => route.fulfill({ json: AUDIT }));
}

async function open(changes: () => Partial<QueueDetails> = () => ({}), options: OpenOptions = {}): Promise<void> {
  page = await dashboard.open('queues', options);
  await page.getByRole('link', { name: NAME }).waitFor();
  await answerQueue(changes);
  await page.getByRole('link', { name: NAME }).click();
  await page.getByRole('heading', { name: 'Policy' }).waitFor();
}

describe('the page of a queue', () => {
  it('shows why it waits: who paused it, since when, why, and what has bounded its tasks', async () => {
    const since = ago(3 * MINUTE);
    const waiting = { depth: 40, depthAt: ago(12_000), backlog: { batches: 40, items: 12_000 } };
    const notes: QueueDetails['notes'] = [
      { tone: 'warn', text: `paused by an operator since ${since} UTC: ${REASON}` },
      { tone: 'info', text: 'the last wave had 12 tasks for 2,500 messages' },
    ];
    await open(() => ({ paused: { by: 'operator', reason: REASON, since }, notes, ...waiting }), {
      bypassCSP: true,
      reducedMotion: 'reduce',
    });
    await page.getByText(/^paused by an operator since .* UTC: The ledger/).waitFor();
    await page.getByText('had 12 tasks for 2,500 messages').waitFor();
    await page.getByRole('cell', { name: 'Ada' }).waitFor();
    expect(await page.locator('h1 ~ *, .why').allTextContents()).not.toContain('\u202e');
    await expect.poll(() => page.title()).toBe(`${NAME} · Sluice`);
    const backlog = page.getByRole('link', { name: '12,000 items in 40 batches' });
    expect(await backlog.getAttribute('href')).toBe('#/batches?workload=billing');
    await page.getByText('Waves in figures').click();
    await page.getByRole('cell', { name: 'the capacity' }).waitFor();
    for (const width of WIDTHS) {
      expect([width, await hiddenControls(page, width)]).toEqual([width, []]);
      await page.setViewportSize({ width, height: 800 });
      if (width === 360 || width === 1440) await dashboard.shot(page, `queue-${width}`);
    }
    await loadAxe(page);
    expect(await axeFindings(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await axeFindings(page)).toEqual([]);
    await dashboard.shot(page, 'queue-dark');
  });

  it('has a policy with steps that are added and removed, a dry run, and the previous version', async () => {
    const policy = {
      thresholds: [{ below: 100, tasks: 10 }, { below: 1_000, tasks: 50 }, { tasks: 100 }],
      ...{ capacity: 100, headroom: 0.25, targetSeconds: 10 },
    };
    await dashboard.stack.api(`queues/${NAME}/policy`, { method: 'PUT', body: JSON.stringify(policy) });
    await open();
    const before = await policyOf();
    await page.getByText('The same tasks in each of the last 4 waves.').waitFor();
    await page.getByLabel('Maximum tasks per wave').fill('20');
    // A bulk lane leaves a quarter of it unused. The throttled wave had 12 tasks, and no policy gives it more.
    await page
      .getByText('Other tasks in 2 of the last 4 waves: 51 instead of 116 in all, at most 15 instead of 75')
      .waitFor();
    await page.getByRole('button', { name: 'Remove step 1' }).click();
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('Fewer than').nth(1).fill('5');
    await page.getByRole('button', { name: 'Save policy' }).click();
    expect(await page.evaluate(`document.querySelector('input:invalid').min`)).toBe('1001');
    await page.getByLabel('Fewer than').nth(1).fill('50000');
    await page.getByLabel('Tasks', { exact: true }).nth(1).fill('60');
    await dashboard.shot(page, 'policy');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText(`Version ${before.version + 1}`).waitFor();
    const saved = await policyOf();
    expect(saved.policy).toEqual({
      ...before.policy,
      ...{ capacity: 20, thresholds: [{ below: 1_000, tasks: 50 }, { below: 50_000, tasks: 60 }, { tasks: 100 }] },
    });

    await page.getByRole('button', { name: 'Restore the previous policy' }).click();
    await page.getByText('Other tasks in 2 of the last 4 waves: 116 instead of 51').waitFor();
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText(`Version ${before.version + 2}`).waitFor();
    expect((await policyOf()).policy).toEqual(before.policy);
  });

  it('keeps typed changes when another user saves, and does not overwrite the saved version', async () => {
    await open();
    const { version, policy } = await policyOf();
    await page.getByLabel('Maximum tasks per wave').fill('33');
    const body = JSON.stringify({ ...policy, capacity: 44 });
    await dashboard.stack.api(`queues/${NAME}/policy`, { method: 'PUT', body });
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText(`no longer has version ${version}`).waitFor();
    expect(await page.getByLabel('Maximum tasks per wave').inputValue()).toBe('33');
    await page.getByRole('button', { name: 'Drop changes' }).click();
    await page.reload();
    await page.getByText(`Version ${version + 1}`).waitFor();
    expect(await page.getByLabel('Maximum tasks per wave').inputValue()).toBe('44');
  });

  it('sets the optional fields of a policy within their limits, and clears them', async () => {
    await open();
    const { version } = await policyOf();
    await page.getByLabel('Receive size').fill('33');
    await page.getByLabel('Receive interval, ms').fill('250');
    await page.getByLabel('Notify from').fill('1000');
    await page.getByRole('button', { name: 'Save policy' }).click();
    expect(await page.evaluate(`document.querySelector('input:invalid').validationMessage`)).toContain('32');
    await page.getByLabel('Receive size').fill('8');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText(`Version ${version + 1}`).waitFor();
    expect((await policyOf()).policy).toMatchObject({ receiveSize: 8, receiveIntervalMs: 250, notifyFrom: 1_000 });

    for (const name of ['Receive size', 'Receive interval, ms', 'Notify from']) await page.getByLabel(name).fill('');
    await page.getByRole('button', { name: 'Save policy' }).click();
    await page.getByText(`Version ${version + 2}`).waitFor();
    expect(Object.keys((await policyOf()).policy)).toEqual(['thresholds', 'capacity', 'headroom', 'targetSeconds']);
  });

  it('pauses and clears, and says so when there is no such queue', async () => {
    await open();
    const clear = page.getByRole('button', { name: 'Clear' });
    expect(await clear.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByLabel('Reason').fill('check');
    await dialog().getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/^paused by an operator since .*: check$/).waitFor();
    await page.getByRole('button', { name: 'Clear', disabled: false }).click();
    await dialog()
      .getByLabel(/^Type the name/)
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Resume' }).click();
    await dialog().getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.goto(`${dashboard.stack.url}/api/dashboard#/queues/billing-none-0`);
    await page.getByRole('heading', { name: 'No such queue' }).waitFor();
  });
});
