import { expect, test } from 'vitest';
import { readDurableConfig } from '../../../../src/durable/config.ts';
import { compareVersions, versionMismatch } from '../../../../src/durable/episodes/versions.ts';

test.each([
  ['', '', 0],
  ['', '1', -1],
  ['1.0', '', 1],
  ['1.9', '1.10', -1],
  ['1.0.0', '1.0', 1],
  ['abc', 'ABC', 0],
  ['b', 'a', 1],
])('comparing %j with %j returns %d', (left, right, expected) => {
  expect(compareVersions(left, right)).toBe(expected);
});

test.each([
  ['None', '9', undefined],
  ['Strict', '2.0', undefined],
  ['Strict', '1.0', 'does not match'],
  ['CurrentOrOlder', '1.0', undefined],
  ['CurrentOrOlder', '', undefined],
  ['CurrentOrOlder', '2.1', 'newer'],
])('%s: instance version %j in an app of version 2.0', (versionMatchStrategy, version, expected) => {
  const mismatch = versionMismatch(version, readDurableConfig({ defaultVersion: '2.0', versionMatchStrategy }, 1));
  if (expected === undefined) expect(mismatch).toBeUndefined();
  else expect(mismatch).toContain(expected);
});
