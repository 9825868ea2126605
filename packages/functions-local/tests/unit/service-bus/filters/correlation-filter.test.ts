import { expect, test } from 'vitest';
import { compileCorrelationFilter } from '../../../../src/service-bus/filters/correlation-filter.ts';
import type { FilterSubject } from '../../../../src/service-bus/filters/subject.ts';

const message = {
  system: { label: 'red', to: 'there' },
  application: new Map<string, string | number>([
    ['pool', 'default'],
    ['size', 3],
  ]),
} as unknown as FilterSubject;

test.for([
  [{ system: { label: 'red' }, properties: {} }, true],
  [{ system: { label: 'red', to: 'there' }, properties: { Pool: 'default', size: 3 } }, true],
  [{ system: { label: 'red', to: 'here' }, properties: {} }, false],
  [{ system: { label: 'RED' }, properties: {} }, false],
  [{ system: { correlationid: '1' }, properties: {} }, false],
  [{ system: {}, properties: { size: '3' } }, false],
  [{ system: {}, properties: { missing: '' } }, false],
] as const)('%j matches: %s', ([filter, passes]) => {
  expect(compileCorrelationFilter(filter)(message)).toBe(passes);
});

test('a filter without a condition is refused', () => {
  expect(() => compileCorrelationFilter({ system: {}, properties: {} })).toThrow(
    /at least one property to compare, got none/,
  );
});
