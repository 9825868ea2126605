import { expect, it } from 'vitest';
import { openTab, refreshesWhileStill } from '../../../../shared/cost/model/open-tab.ts';
import { readPriceSheet } from '../../../../shared/cost/sheet.ts';
import { everyMs } from '../../../../web/live/pace.ts';

const SHEET = readPriceSheet('2026');

/** Refreshes of the dashboard itself for a page on which nothing changes. */
function refreshesOfPage(seconds: number): number {
  let refreshes = 0;
  for (let atMs = 0; atMs < seconds * 1_000; refreshes += 1) {
    const wait = everyMs({ isMoving: false, movedAt: 0, touchedAt: 0 }, atMs);
    if (wait === undefined) return refreshes;
    atMs += wait;
  }
  return refreshes;
}

it.each([[30], [60], [120], [900], [1_800], [86_400]])(
  'refreshes like the dashboard in %i s without a change',
  (seconds) => {
    expect(refreshesWhileStill(seconds)).toBe(refreshesOfPage(seconds));
  },
);

it('refreshes like the dashboard while something changes', () => {
  const refreshes = (touchedAt: number) =>
    86_400_000 / (everyMs({ isMoving: true, movedAt: 3_600_000, touchedAt }, 3_600_000) ?? 0);
  const { attended, unattended } = openTab({ idleHours: 0, batches: 0 }, SHEET);

  expect([attended.refreshes, unattended.refreshes]).toEqual([refreshes(3_600_000) * 30, refreshes(0) * 30]);
});

it('costs cents per month if nothing changes, and the documented amount with the default parameters', () => {
  const idle = openTab({ idleHours: 24, batches: 0 }, SHEET);
  const usual = openTab({ idleHours: 22, batches: 10 }, SHEET);

  expect(idle.attended).toEqual(idle.unattended);
  expect(idle.attended.refreshes).toBe(44 * 30);
  expect(idle.attended.usd).toBeLessThan(0.1);
  expect([usual.attended.refreshes, usual.unattended.refreshes]).toEqual([85_200, 16_800]);
  expect([usual.attended.usd, usual.unattended.usd].map((usd) => usd.toFixed(2))).toEqual(['4.84', '0.95']);
});
