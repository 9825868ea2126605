import { expect, test } from 'vitest';
import { dueAfter, mergeDue } from '../../../shared/gate/due.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
const seconds = (due: readonly string[]): number[] => due.map((iso) => (Date.parse(iso) - Date.UTC(2026, 0, 1)) / 1000);

test('due times are whole seconds, rounded up like delays, without duplicates', () => {
  expect(seconds(mergeDue([at(7)], [at(4.2), at(4.9), at(7), at(1)]))).toEqual([1, 5, 7]);
});

test('if there are too many, those with another one shortly after them are removed, and the span stays', () => {
  const dense = Array.from({ length: 30 }, (_, second) => at(second));

  const due = seconds(mergeDue([at(3_600)], dense));

  expect(due).toHaveLength(16);
  expect(due.slice(-2)).toEqual([29, 3_600]);
  // Each removed message is found together with one that is due shortly after it.
  expect(Math.max(...due.slice(1, -1).map((second, index) => second - (due[index] ?? 0)))).toBeLessThanOrEqual(4);
});

test('a message may be invisible for two seconds after it was due', () => {
  expect(seconds(dueAfter([at(1), at(2), at(3)], Date.parse(at(4))))).toEqual([3]);
});
