import { expect, test } from 'vitest';
import { ownBlob } from '../../../../shared/intake/import/own-blob.ts';

const RULES = {
  account: 'https://stsluice.blob.core.windows.net/',
  workload: { name: 'billing', containers: ['uploads'] },
};
const LOCAL = { ...RULES, account: 'http://127.0.0.1:10000/devstoreaccount1' };

test.each([
  ['https://stsluice.blob.core.windows.net/uploads/2026/a%20b.csv', RULES],
  ['http://127.0.0.1:10000/devstoreaccount1/uploads/2026/a%20b.csv', LOCAL],
])("%s is a blob of the app's own account", (text, rules) => {
  expect(ownBlob(text, rules)).toEqual({ container: 'uploads', name: '2026/a b.csv' });
});

test.each([
  ['no address', 'stsluice.blob.core.windows.net/uploads/a.csv'],
  ['too long', `https://stsluice.blob.core.windows.net/uploads/${'a'.repeat(4_096)}`],
  ['http', 'http://stsluice.blob.core.windows.net/uploads/a.csv'],
  ['file', 'file:///etc/passwd'],
  ['a password', 'https://me:secret@stsluice.blob.core.windows.net/uploads/a.csv'],
  ['another port', 'https://stsluice.blob.core.windows.net:8443/uploads/a.csv'],
  ['another host', 'https://files.example.com/uploads/a.csv?sig=s3cret'],
  ['a host with the same beginning', 'https://stsluice.blob.core.windows.net.example.com/uploads/a.csv'],
  ['loopback', 'https://127.0.0.1/uploads/a.csv'],
  ["the pipeline's own container", 'https://stsluice.blob.core.windows.net/payloads/a.ndjson'],
  ["the host's container", 'https://stsluice.blob.core.windows.net/azure-webjobs-secrets/a.json'],
  ['a path out of the container', 'https://stsluice.blob.core.windows.net/uploads/..%2Fpayloads%2Fa'],
  ['a path out of the container, resolved', 'https://stsluice.blob.core.windows.net/uploads/../payloads/a'],
  ['only a container', 'https://stsluice.blob.core.windows.net/uploads'],
  ["a signature of the app's own account", 'https://stsluice.blob.core.windows.net/uploads/a.csv?sig=s3cret'],
  ['a path that is not UTF-8', 'https://stsluice.blob.core.windows.net/uploads/%ff'],
  ['another account', 'https://other.blob.core.windows.net/uploads/a.csv'],
])('%s is refused', (_what, text) => {
  expect(() => ownBlob(text, RULES)).toThrow(expect.objectContaining({ type: 'invalid-parameter' }));
  expect(() => ownBlob(text, RULES)).not.toThrow(/s3cret/);
});
