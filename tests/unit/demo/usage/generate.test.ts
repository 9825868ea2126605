import { describe, expect, it } from 'vitest';
import { usageBlocks } from '../../../../demo/usage/generate.ts';

const text = (items: number, seed: number): string => [...usageBlocks({ items, seed })].join('');
const records = (items: number, seed = 1): Record<string, string>[] =>
  text(items, seed)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);

describe('the generator', () => {
  it('creates the same file for the same seed, and a different one for another seed', () => {
    expect(text(3_000, 7)).toBe(text(3_000, 7));
    expect(text(3_000, 7)).not.toBe(text(3_000, 8));
  });

  it('does not change from one release to the next', () => {
    const { value = '' } = usageBlocks({ items: 200_000, seed: 1 }).next();
    expect(value?.split('\n')[0]).toBe(
      '{"id":"tx-00000001","account":"acct-00001","product":"compute-hours","quantity":"4.70","unitPrice":"0.104","currency":"EUR","time":"2025-03-01T00:00:00.535Z"}',
    );
  });

  it.each([1, 999, 1_000, 1_001])('creates exactly %i lines', (items) => {
    expect(records(items)).toHaveLength(items);
  });

  it('assigns most of the work to few accounts, in several currencies, sorted by time', () => {
    const all = records(20_000);
    const ofLargest = all.filter(({ account }) => account === 'acct-00001').length;
    const times = all.map(({ time }) => time);
    expect(ofLargest).toBeGreaterThan(1_000);
    expect(new Set(all.map(({ account }) => account)).size).toBeGreaterThan(1_000);
    expect(new Set(all.map(({ currency }) => currency)).size).toBeGreaterThanOrEqual(6);
    expect(times).toEqual(times.toSorted());
  });

  it('makes about one record in 500 invalid', () => {
    const all = records(20_000);
    const bad = all.filter(
      ({ account, currency, unitPrice, quantity, kind }) =>
        account === undefined || currency === 'XXD' || unitPrice?.includes(' ') || (quantity?.startsWith('-') && !kind),
    );
    expect(bad.length).toBeGreaterThan(20);
    expect(bad.length).toBeLessThan(80);
  });
});
