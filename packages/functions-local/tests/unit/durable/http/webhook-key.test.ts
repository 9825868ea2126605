import { expect, test } from 'vitest';
import { isWebhookOpen } from '../../../../src/durable/http/webhook-key.ts';

const keys = { systemKey: 'system', masterKey: 'master' };
const url = '/runtime/webhooks/durabletask/instances';

test.each([
  ['the system key', `${url}?code=system`, {}, true],
  ['the master key', `${url}?code=master`, {}, true],
  ['the master key as a header', url, { 'x-functions-key': 'master' }, true],
  ['a header that takes precedence over the query', `${url}?code=system`, { 'x-functions-key': 'other' }, false],
  ['a function key', `${url}?code=function`, {}, false],
  ['an empty key', `${url}?code=`, {}, false],
  ['no key', url, {}, false],
])('%s is accepted or refused by the webhook', (_, requested, headers, isOpen) => {
  expect(isWebhookOpen({ url: requested, headers }, keys)).toBe(isOpen);
});

test('without a system key, no key is checked', () => {
  expect(isWebhookOpen({ url, headers: {} }, {})).toBe(true);
  expect(isWebhookOpen({ url: `${url}?code=`, headers: {} }, { systemKey: 'system' })).toBe(false);
});
