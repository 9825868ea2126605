import { expect, test } from 'vitest';
import { headerOf } from '../../../../src/storage/call.ts';
import { sharedKey, signAnew } from '../../../../src/storage/rules/shared-key.ts';

const account = { name: 'account', key: 'a2V5' };
const headOf = (url: string) => ({
  ...({ service: 'blob', method: 'GET', url } as const),
  headers: ['x-ms-version', '2021-12-02'],
});
const signed = (url: string, key: string) => {
  const head = headOf(url);
  return { ...head, headers: [...head.headers, 'Authorization', key] };
};

test('the signature covers the whole query, also after a second question mark', () => {
  expect(sharedKey(headOf('/account/files?prefix=a?b'), account)).toBe(
    sharedKey(headOf('/account/files?prefix=a%3Fb'), account),
  );
  expect(sharedKey(headOf('/account/files?prefix=a?b'), account)).not.toBe(
    sharedKey(headOf('/account/files?prefix=a?c'), account),
  );
});

test('a call gets a new signature only if its signature was valid', () => {
  const url = '/account/files?prefix=a';
  const changed = '/account/files?prefix=b';
  const right = signed(url, sharedKey(headOf(url), account));
  const wrong = signed(url, 'SharedKey account:d3Jvbmc=');
  const keyOf = (head: typeof right): string | undefined =>
    headerOf(signAnew(head, { ...head, url: changed }, [account]).headers, 'authorization');
  expect(keyOf(right)).toBe(sharedKey(headOf(changed), account));
  expect(keyOf(wrong)).toBe('SharedKey account:d3Jvbmc=');
});
