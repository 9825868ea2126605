import { expect, it } from 'vitest';
import { readPriceSheet } from '../../../../shared/cost/sheet.ts';
import { costOf } from '../../../../shared/http/edge/cost-header.ts';

const SHEET = readPriceSheet('2026');
/** 0.4 per million executions and 0.000026 per GB-second; 2 GB. */
const EXECUTION = 0.000_000_4;
const GB_SECOND = 0.000_026;

const usdOf = (operations: Record<string, number>, seconds: number): number =>
  Number(/^usd=([\d.]+)/.exec(costOf({ operations, seconds }, SHEET))?.[1]);

it('contains each operation and the price', () => {
  expect(costOf({ operations: { 'table.query': 2, 'blob.get': 181 }, seconds: 0.2 }, SHEET)).toBe(
    'usd=0.000124872, blob.get=181, table.query=2',
  );
});

it.each([
  [0.02, 2],
  [1, 2],
  [1.01, 2.2],
  [60, 120],
])('bills an execution of %d s as %d GB-seconds', (seconds, gbSeconds) => {
  expect(usdOf({}, seconds)).toBeCloseTo(EXECUTION + gbSeconds * GB_SECOND, 9);
});

it('prices the operations of the durable runtime for a start: three on queues and two on tables', () => {
  expect(usdOf({ 'durable.start': 1 }, 0) - usdOf({}, 0)).toBeCloseTo(3 * 0.000_000_4 + 2 * 0.000_000_036, 9);
  expect(costOf({ operations: { 'durable.start': 1 }, seconds: 0 }, SHEET)).toContain(', durable.start=1');
});

it('omits entries that are not operations', () => {
  expect(costOf({ operations: { 'throttled.responses': 3 }, seconds: 0 }, SHEET)).toBe('usd=0.000052400');
});
