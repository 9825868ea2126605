import { describe, expect, it } from 'vitest';
import {
  busiestWindow,
  exceededLimits,
  type Limits,
  missedRate,
  mostInFlight,
  shareOfRate,
  type TimedCall,
} from '../../helpers/servers/rates.ts';

/** 20 calls per second. */
const CALLS: Limits = { unit: 'calls', limit: 20, perMs: 1_000 };
const EVERY_MS = 50;

/** Calls from `fromMs` to `toMs`, one per interval. */
const steady = (fromMs: number, toMs: number, everyMs = EVERY_MS): TimedCall[] =>
  Array.from({ length: Math.floor((toMs - fromMs) / everyMs) }, (_, n) => ({ atMs: fromMs + n * everyMs, items: 1 }));
const burst = (atMs: number, count: number): TimedCall[] => Array.from({ length: count }, () => ({ atMs, items: 1 }));

describe('more than the rate', () => {
  it.each([
    ['nothing', [], []],
    ['the rate', steady(0, 60_000), []],
    ['1.05 of it in one window', [...steady(0, 30_000), ...burst(15_010, 10)], []],
    [
      'a call more',
      [...steady(0, 30_000), ...burst(15_010, 11)],
      ['211 calls from 5050 ms to 15050 ms, at most 210 allowed'],
    ],
    ['all at the same time', burst(7, 211), ['211 calls from 7 ms to 10007 ms, at most 210 allowed']],
    ['a tenth too fast', steady(0, 10_000, 45), ['222 calls from 0 ms to 10000 ms, at most 210 allowed']],
    // Two parts that each respect the limit; the window that spans both exceeds it.
    [
      'bursts on both sides of a boundary',
      [...burst(9_900, 110), ...burst(10_100, 110)],
      ['220 calls from 9900 ms to 19900 ms, at most 210 allowed'],
    ],
  ] as const)('%s', (_, calls, wrong) => {
    expect(exceededLimits(calls, CALLS)).toEqual(wrong);
    expect(exceededLimits(calls.toReversed(), CALLS)).toEqual(wrong);
  });

  it('counts items if the limit is in items', () => {
    const calls = [0, 100, 200].map((atMs) => ({ atMs, items: 100 }));
    expect(exceededLimits(calls, { ...CALLS, unit: 'items' })).toEqual([
      '300 items from 0 ms to 10000 ms, at most 210 allowed',
    ]);
    expect(exceededLimits(calls.slice(1), { ...CALLS, unit: 'items' })).toEqual([]);
  });

  it('excludes the call at the end of a window', () => {
    expect(busiestWindow([...burst(0, 2), ...burst(1_000, 2)], 'calls', 1_000).count).toBe(2);
    expect(busiestWindow([...burst(0, 2), ...burst(999, 2)], 'calls', 1_000)).toEqual({
      ...{ fromMs: 0, toMs: 1_000, count: 4 },
    });
  });
});

describe('less than the rate', () => {
  const work = { fromMs: 0, toMs: 60_000 };

  it.each([
    ['the rate', steady(0, 60_000), []],
    ['0.9 of it', steady(0, 60_000, EVERY_MS / 0.9), []],
    [
      'less than 0.9 of it',
      steady(0, 60_000, 60),
      ['0.833 of the rate from 0 ms to 60000 ms, 0.9 expected; fewest from 0 ms to 1000 ms: 16 calls'],
    ],
    [
      'a gap',
      [...steady(0, 20_000), ...steady(27_000, 60_000)],
      ['0.883 of the rate from 0 ms to 60000 ms, 0.9 expected; fewest from 19950 ms to 20950 ms: 0 calls'],
    ],
    ['nothing', [], ['0.000 of the rate from 0 ms to 60000 ms, 0.9 expected; fewest from 0 ms to 1000 ms: 0 calls']],
  ] as const)('%s', (_, calls, wrong) => {
    expect(missedRate(calls, CALLS, work)).toEqual(wrong);
  });

  it('considers only the time with work', () => {
    expect(shareOfRate([...steady(0, 10_000), ...burst(20_000, 500)], CALLS, { fromMs: 0, toMs: 20_000 })).toBe(0.5);
  });
});

describe('items in flight', () => {
  const call = (atMs: number, endMs: number | undefined, items: number): TimedCall => ({ atMs, endMs, items });

  it('adds overlapping calls, but not a call that ends when another begins', () => {
    expect(mostInFlight([call(0, 10, 5), call(10, 20, 6), call(15, 30, 7)])).toEqual({ atMs: 15, items: 13 });
  });

  it('are reported if there are too many, including a call without an end', () => {
    const calls = [call(0, undefined, 100), call(3_000, 3_100, 101)];
    expect(exceededLimits(calls, { ...CALLS, maxConcurrency: 201 })).toEqual([]);
    expect(exceededLimits(calls, { ...CALLS, maxConcurrency: 200 })).toEqual([
      '201 items in flight at 3000 ms, at most 200 allowed',
    ]);
  });
});
