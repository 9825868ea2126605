import { expect, test } from 'vitest';
import { createSliceTime } from '../../../shared/drain/slice-time.ts';

test('a slice that was over once stays over, although its reason has passed', () => {
  let mustEnd = false;
  const time = createSliceTime({ endMs: 30_000, beginUntilMs: 60_000, mustEnd: () => mustEnd, nowMs: () => 1_000 });
  const before = [time.isOver(), time.waitMs()];
  mustEnd = true;
  time.isOver();
  mustEnd = false;

  expect(before).toEqual([false, 29_000]);
  expect([time.isOver(), time.waitMs()]).toEqual([true, 0]);
});

test('a slice is over when its items can no longer begin, although its own time is not up', () => {
  let nowMs = 0;
  const time = createSliceTime({ endMs: 30_000, beginUntilMs: 9_000, mustEnd: () => false, nowMs: () => nowMs });

  expect([time.isOver(), time.waitMs(), time.beginUntilMs]).toEqual([false, 9_000, 9_000]);
  nowMs = 9_000;
  expect([time.isOver(), time.waitMs()]).toEqual([true, 0]);
});
