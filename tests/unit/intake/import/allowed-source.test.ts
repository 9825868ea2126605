import { expect, test } from 'vitest';
import { allowedSource, withoutQuery } from '../../../../shared/intake/import/allowed-source.ts';

const RULES = {
  hosts: ['files.example.com', '*.contoso.net'],
  account: 'https://stsluice.blob.core.windows.net/',
  workload: { name: 'billing', containers: ['uploads'] },
};
const LOCAL = { ...RULES, account: 'http://127.0.0.1:10000/devstoreaccount1' };

test.each(['https://files.example.com/a.csv?sig=1', 'https://FILES.example.com:443/', 'https://a.b.contoso.net/x'])(
  '%s has an allowed host',
  (text) => expect(allowedSource(text, RULES)).toEqual({ kind: 'https', url: new URL(text) }),
);

test.each([
  ['https://stsluice.blob.core.windows.net/uploads/2026/a%20b.csv', RULES],
  ['http://127.0.0.1:10000/devstoreaccount1/uploads/2026/a%20b.csv', LOCAL],
])("%s is a blob of the app's own account", (text, rules) => {
  expect(allowedSource(text, rules)).toEqual({ kind: 'blob', container: 'uploads', name: '2026/a b.csv' });
});

test.each([
  ['no address', 'files.example.com/a.csv'],
  ['too long', `https://files.example.com/${'a'.repeat(4_096)}`],
  ['http', 'http://files.example.com/a.csv'],
  ['file', 'file:///etc/passwd'],
  ['another port', 'https://files.example.com:8443/a.csv'],
  ['a password', 'https://me:secret@files.example.com/a.csv'],
  ['another host', 'https://example.com/a.csv'],
  ['the domain of the wildcard itself', 'https://contoso.net/a.csv'],
  ['a host with the same ending', 'https://evilcontoso.net/a.csv'],
  ['a host with a trailing dot', 'https://files.example.com./a.csv'],
  ['loopback', 'https://127.0.0.1/a.csv'],
  ['loopback as a number', 'https://2130706433/a.csv'],
  ['IPv4 in IPv6', 'https://[::ffff:127.0.0.1]/a.csv'],
  ['localhost', 'https://localhost/a.csv'],
  ["the pipeline's own container", 'https://stsluice.blob.core.windows.net/payloads/a.ndjson'],
  ["the host's container", 'https://stsluice.blob.core.windows.net/azure-webjobs-secrets/a.json'],
  ['a path out of the container', 'https://stsluice.blob.core.windows.net/uploads/..%2Fpayloads%2Fa'],
  ['a path out of the container, resolved', 'https://stsluice.blob.core.windows.net/uploads/../payloads/a'],
  ['only a container', 'https://stsluice.blob.core.windows.net/uploads'],
  ["a signature of the app's own account", 'https://stsluice.blob.core.windows.net/uploads/a.csv?sig=s3cret'],
  ['a path that is not UTF-8', 'https://stsluice.blob.core.windows.net/uploads/%ff'],
  ['another account', 'https://other.blob.core.windows.net/uploads/a.csv'],
])('%s is refused', (_what, text) => {
  expect(() => allowedSource(text, RULES)).toThrow(expect.objectContaining({ type: 'invalid-parameter' }));
  expect(() => allowedSource(text, RULES)).not.toThrow(/s3cret/);
});

test('an address is displayed without its query', () => {
  expect(withoutQuery('https://files.example.com/a.csv?sig=s3cret#x')).toBe('https://files.example.com/a.csv');
  expect(withoutQuery('none')).toBe('');
});
