import { expect, it } from 'vitest';
import { sweepTexts } from '../../../../shared/http/sweep/routes.ts';
import { noCounts, SWEEP_ACTIONS } from '../../../../shared/sweep/sweep-run.ts';

it('has no text for a sweep that repaired nothing', () => {
  expect(sweepTexts({ ...noCounts(), open: 40 })).toEqual([]);
});

it('has a text for every kind of repair', () => {
  const all = Object.fromEntries(SWEEP_ACTIONS.map((action) => [action, 2])) as ReturnType<typeof noCounts>;
  expect(sweepTexts(all)).toHaveLength(SWEEP_ACTIONS.length);
  expect(sweepTexts({ ...noCounts(), takenOver: 1 })).toEqual(['1 queue taken over from a stuck drain']);
});
