import { expect, it } from 'vitest';
import { actorOf } from '../../../../shared/http/audit/record-actions.ts';

const encode = (principal: unknown): string => Buffer.from(JSON.stringify(principal)).toString('base64');
const CLAIM = 'preferred_username';
const ada = encode({ auth_typ: 'aad', claims: [{ typ: CLAIM, val: 'ada@example.com' }], name_typ: 'n', role_typ: 'r' });

const actor = (principal: string, operator: string, isAuthenticated: boolean) =>
  actorOf(new Headers({ 'x-ms-client-principal': principal, 'sluice-operator': operator }), isAuthenticated);

it('is the principal of App Service authentication, regardless of the name in the request', () => {
  expect(actor(ada, 'Bob', true)).toEqual({ by: 'ada@example.com', verified: true });
});

it('ignores the principal if App Service authentication is not enabled', () => {
  expect(actor(ada, 'Bob', false)).toEqual({ by: 'Bob', verified: false });
});

it.each([
  ['the claim in name_typ', { claims: [{ typ: 'n', val: 'Ada' }], name_typ: 'n' }, 'Ada'],
  [
    'a preferred claim over the one in name_typ',
    {
      claims: [
        { typ: 'n', val: 'ada@example.com' },
        { typ: 'name', val: 'Bob' },
      ],
      name_typ: 'n',
    },
    'ada@example.com',
  ],
  ['an application', { claims: [{ typ: 'appid', val: '00000000-1111' }], name_typ: 'n' }, '00000000-1111'],
])('uses %s as the name', (_what, principal, by) => {
  expect(actor(encode(principal), '', true)).toEqual({ by, verified: true });
});

it.each(['', 'e30=', 'bm8ganNvbg==', '%', encode({ claims: 7 }), encode({ claims: [] })])(
  'falls back to the unverified name for the principal %j',
  (principal) => {
    expect(actor(principal, 'Bob', true)).toEqual({ by: 'Bob', verified: false });
  },
);

it.each([
  ['Zo%C3%AB', 'Zoë'],
  ['100%', '100%'],
  ['a%0A%1Bb%E2%80%AEc', 'abc'],
  ['x'.repeat(200), 'x'.repeat(80)],
  [`${'x'.repeat(79)}%F0%9F%99%82`, `${'x'.repeat(79)}\ufffd`],
  ['', ''],
])('shows the name %j as %j', (text, by) => {
  expect(actor('', text, false)).toEqual({ by, verified: false });
});
