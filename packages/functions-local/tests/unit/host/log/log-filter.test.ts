import { describe, expect, it } from 'vitest';
import { createLogFilter } from '../../../../src/host/log/log-filter.ts';

describe('createLogFilter', () => {
  it.each([
    ['information', 'Function.a.User', true],
    ['debug', 'Function.a.User', false],
    ['information', 'Host.General', false],
    ['warning', 'Host.General', true],
  ] as const)('without settings: %s of %s: %s', (level, category, expected) => {
    expect(createLogFilter({})(level, category)).toBe(expected);
  });

  it('uses the longest matching category, then the default', () => {
    const filter = createLogFilter({
      default: 'error',
      Function: 'warning',
      'function.a': 'trace',
      'Function.b': 'none',
    });
    expect(filter('debug', 'Function.a.User')).toBe(true);
    expect(filter('information', 'Function.ab')).toBe(false);
    expect(filter('critical', 'Function.b')).toBe(false);
    expect(filter('warning', 'Host.General')).toBe(false);
  });

  it('shows messages of the host with verbose', () => {
    expect(createLogFilter({}, true)('information', 'Host.General')).toBe(true);
  });
});
