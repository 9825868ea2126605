import { expect, test } from 'vitest';
import { parseDuration } from '../../../../src/service-bus/config/duration.ts';

test.for([
  ['PT1M', 60_000],
  ['PT0.25S', 250],
  ['P1DT2H3M4S', 93_784_000],
  ['P14D', 1_209_600_000],
  ['P10675199DT2H48M5.4775807S', undefined],
] as const)('%s is %s ms', ([text, ms]) => {
  expect(parseDuration(text, 'here')).toBe(ms);
});

test.for(['', 'P', 'PT', 'P1Y', '60', 'PT1M ', 'PT1S1M', 'PT-1S'])("'%s' is refused", (text) => {
  expect(() => parseDuration(text, 'here')).toThrow(/^here: expected an ISO 8601 duration/);
});
