import { expect, it } from 'vitest';
import { looksWhileStill, openTab } from '../../../../shared/cost/model/open-tab.ts';
import { readPriceSheet } from '../../../../shared/cost/sheet.ts';
import { everyMs } from '../../../../web/live/pace.ts';

const SHEET = readPriceSheet('2026');

/** Refreshes of the dashboard itself for a page on which nothing changes. */
function looksOfPage(seconds: number): number {
  let looks = 0;
  for (let atMs = 0; atMs < seconds * 1_000; looks += 1) {
    const wait = everyMs({ isMoving: false, movedAt: 0, touchedAt: 0 }, atMs);
    if (wait === undefined) return looks;
    atMs += wait;
  }
  return looks;
}

it.each([[30], [60], [120], [900], [1_800], [86_400]])(
  'refreshes like the dashboard in %i s without a change',
  (seconds) => {
    expect(looksWhileStill(seconds)).toBe(looksOfPage(seconds));
  },
);

it('refreshes like the dashboard while something changes', () => {
  const looks = (touchedAt: number) =>
    86_400_000 / (everyMs({ isMoving: true, movedAt: 3_600_000, touchedAt }, 3_600_000) ?? 0);
  const { attended, unattended } = openTab({ idleHours: 0, batches: 0 }, SHEET);

  expect([attended.looks, unattended.looks]).toEqual([looks(3_600_000) * 30, looks(0) * 30]);
});

it('costs cents per month if nothing changes, and the documented amount with the default parameters', () => {
  const idle = openTab({ idleHours: 24, batches: 0 }, SHEET);
  const usual = openTab({ idleHours: 22, batches: 10 }, SHEET);

  expect(idle.attended).toEqual(idle.unattended);
  expect(idle.attended.looks).toBe(44 * 30);
  expect(idle.attended.usd).toBeLessThan(0.1);
  expect([usual.attended.looks, usual.unattended.looks]).toEqual([85_200, 16_800]);
  expect([usual.attended.usd, usual.unattended.usd].map((usd) => usd.toFixed(2))).toEqual(['4.84', '0.95']);
});
