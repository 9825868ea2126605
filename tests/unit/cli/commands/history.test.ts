import { expect, it } from 'vitest';
import { run } from '../world.ts';

it('shows the history as a table of days', async () => {
  const day = {
    ...{ day: '2026-09-24', workload: 'billing', batches: 2, items: 5_000, dead: 7, discarded: 0, deadlinesMissed: 1 },
    ...{ latencyP95Ms: 41_200, deadlineMs: null, itemsPerSecond: 6_120.4, operations: 99, usd: 0.5 },
  };
  const { out } = await run('history', { 'GET history': { json: { from: '', to: '', days: [day] } } });
  expect(out).toMatch(/2026-09-24 +billing +2 +5,000 +7 +0 +1 +41\.2 s +6,120 +99 +0\.50 USD\n/);
});
