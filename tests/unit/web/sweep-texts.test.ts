import { expect, it } from 'vitest';
import { noCounts } from '../../../shared/sweep/counts.ts';
import { sweepTexts } from '../../../web/overview/sweep-texts.ts';

it('has no text for a sweep that repaired nothing', () => {
  expect(sweepTexts({ ...noCounts(), open: 40 })).toEqual([]);
});

it('has a text for every kind of repair', () => {
  const all = Object.fromEntries(Object.keys(noCounts()).map((action) => [action, 2])) as ReturnType<typeof noCounts>;
  const texts = sweepTexts(all);
  expect(texts).toHaveLength(Object.keys(all).length - 1);
  expect(texts.filter((text) => /[A-Z]/.test(text))).toEqual([]);
  expect(sweepTexts({ ...noCounts(), takenOver: 1 })).toEqual(['1 queue taken over from a stuck drain']);
});
