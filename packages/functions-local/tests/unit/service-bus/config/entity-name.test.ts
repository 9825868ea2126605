import { expect, test } from 'vitest';
import { checkEntityName } from '../../../../src/service-bus/config/entity-name.ts';

test.each([
  ['queue', 'jobs'],
  ['topic', 'a/b.c_d-1'],
  ['queue', 'q'.repeat(260)],
  ['subscription', 's'.repeat(50)],
  ['rule', '$Default'],
] as const)('a %s can have the name %s', (kind, name) => expect(checkEntityName(name, kind, 'config')).toBe(name));

test.each([
  ['queue', '-jobs'],
  ['queue', 'jobs/'],
  ['queue', 'my jobs'],
  ['topic', 'a@b'],
  ['queue', 'q'.repeat(261)],
  ['queue', '$Default'],
  ['subscription', 'a/b'],
  ['subscription', 's'.repeat(51)],
] as const)('a %s cannot have the name %s', (kind, name) => {
  expect(() => checkEntityName(name, kind, 'config.Queues[0]')).toThrow(/^config\.Queues\[0\]\.Name: expected 1 to /);
});
