import { expect, test } from 'vitest';
import { COMMON_RULES } from '../../../../src/storage/rules/common-rules.ts';
import { NOON, refusedBy, requestOf } from '../requests.ts';

const SIGNED = { authorization: 'SharedKey account:x', 'x-ms-version': '2025-01-05' };
const DATE = 'date-window 403 AuthenticationFailed';

test.each([
  ['Fri, 02 Jan 2026 12:00:00 GMT', undefined],
  ['Fri, 02 Jan 2026 11:45:00 GMT', undefined],
  ['Fri, 02 Jan 2026 12:15:00 GMT', undefined],
  ['Fri, 02 Jan 2026 11:44:59 GMT', DATE],
  ['Fri, 02 Jan 2026 12:15:01 GMT', DATE],
  ['yesterday', DATE],
])('a call dated %s at noon', (date, expected) => {
  const request = requestOf('queue', { path: 'work', headers: { ...SIGNED, 'x-ms-date': date } });
  expect(refusedBy(COMMON_RULES, request)).toBe(expected);
  expect(refusedBy(COMMON_RULES, request, { ...NOON, checkDates: false })).toBeUndefined();
});

test.each([
  ['queue', 'GET', 'work', 'authorization-required 401 NoAuthenticationInformation'],
  ['table', 'GET', 'rows()', 'authorization-required 401 NoAuthenticationInformation'],
  ['blob', 'PUT', 'files/a', 'authorization-required 401 NoAuthenticationInformation'],
  ['blob', 'GET', 'public/a', undefined],
  ['blob', 'OPTIONS', 'files/a', undefined],
  ['queue', 'GET', 'work?sig=x', undefined],
] as const)('without authorization: %s %s %s', (service, method, path, expected) => {
  expect(refusedBy(COMMON_RULES, requestOf(service, { method, path }))).toBe(expected);
});

test('a signed call without a date', () => {
  expect(refusedBy(COMMON_RULES, requestOf('blob', { path: 'files', headers: SIGNED }))).toBe(DATE);
});

test.each([
  ['2025-01-05', undefined],
  [undefined, 'version-required 400 MissingRequiredHeader'],
  ['latest', 'version-required 400 InvalidHeaderValue'],
])('a signed call of version %s', (version, expected) => {
  const headers = { authorization: 'SharedKey account:x', 'x-ms-date': 'Fri, 02 Jan 2026 12:00:00 GMT' };
  const request = requestOf('table', {
    path: 'rows',
    headers: { ...headers, ...(version !== undefined && { 'x-ms-version': version }) },
  });
  expect(refusedBy(COMMON_RULES, request)).toBe(expected);
});

test('a call with a shared access signature has its version and times in the URL', () => {
  expect(refusedBy(COMMON_RULES, requestOf('blob', { path: 'files/a?sv=2025-01-05&sig=x' }))).toBeUndefined();
});
