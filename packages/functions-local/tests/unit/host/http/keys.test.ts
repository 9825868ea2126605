import { describe, expect, it } from 'vitest';
import { isAuthorized, parseKeys, readRequestKey } from '../../../../src/host/http/keys.ts';

const keys = parseKeys(
  '{"master":"M","host":{"default":"H"},"functions":{"Fn":{"a":"A","b":"B"},"other":"O"}}',
  'keys.json',
);

describe('isAuthorized', () => {
  it.each([
    ['anonymous', undefined, true],
    ['function', undefined, false],
    ['function', '', false],
    ['function', 'wrong', false],
    ['function', 'A', true],
    ['function', 'B', true],
    ['function', 'O', false],
    ['function', 'H', true],
    ['function', 'M', true],
    ['admin', 'H', false],
    ['admin', 'A', false],
    ['admin', 'M', true],
  ] as const)('%s with key %s: %s', (level, key, expected) => {
    expect(isAuthorized(keys, { level, functionName: 'fn' }, key)).toBe(expected);
  });
});

describe('readRequestKey', () => {
  it('prefers the header to the query', () => {
    expect(readRequestKey({ 'x-functions-key': 'h' }, new URLSearchParams('code=q'))).toBe('h');
    expect(readRequestKey({}, new URLSearchParams('code=q'))).toBe('q');
    expect(readRequestKey({}, new URLSearchParams())).toBeUndefined();
  });
});

describe('parseKeys', () => {
  it('refuses a file without a master key', () => {
    expect(() => parseKeys('{"host":"x"}', 'keys.json')).toThrow(
      /keys\.json: expected an object with a non-empty "master"/,
    );
  });
});
