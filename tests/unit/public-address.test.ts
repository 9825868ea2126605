import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isPublicAddress, PrivateAddressError, publicConnection, publicLookup } from '../../shared/public-address.ts';

test.each(['8.8.8.8', '20.60.1.1', '172.15.255.255', '172.32.0.0', '100.128.0.1', '2606:4700::1111', '2a01:111::1'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each([
  ...['127.0.0.1', '127.255.255.255', '0.0.0.0', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '168.63.129.16', '100.64.0.1', '192.0.2.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1', '2001::1'],
  ...['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::'],
  ...['', 'localhost', '0x7f.1', '127.1'],
])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

const look = (addresses: LookupAddress[], all: boolean) =>
  new Promise((found, failed) => {
    const lookup = publicLookup((_host, _options, callback) => callback(null, addresses));
    lookup('files.example.com', { all }, (error, address, family) =>
      error ? failed(error) : found(all ? address : { address, family }),
    );
  });
const PUBLIC = { address: '20.60.1.1', family: 4 };
const PRIVATE = { address: '10.0.0.4', family: 4 };

test('allows a name that resolves to public addresses', async () => {
  expect(await look([PUBLIC, { address: '2a01:111::1', family: 6 }], true)).toHaveLength(2);
  expect(await look([PUBLIC], false)).toEqual(PUBLIC);
});

test.each([true, false])('refuses a name with any address that is not public, or with none (all: %s)', async (all) => {
  await expect(look([PUBLIC, PRIVATE], all)).rejects.toThrow(PrivateAddressError);
  await expect(look([{ address: '::ffff:10.0.0.4', family: 6 }], all)).rejects.toThrow(PrivateAddressError);
  await expect(look([], all)).rejects.toThrow(PrivateAddressError);
});

test('a request does not connect to a name that resolves to this machine', async () => {
  let connections = 0;
  const server = createServer().on('connection', () => connections++);
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(`https://files.example.com:${(server.address() as AddressInfo).port}/`);
  const lookup = publicLookup((_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]));

  const asked = request(url, publicConnection(url, lookup));
  const failed = once(asked, 'error');
  asked.end();

  expect(await failed).toEqual([expect.any(PrivateAddressError)]);
  expect(connections).toBe(0);
});

test.each(['https://127.0.0.1/', 'https://2130706433/', 'https://[::1]/', 'https://[::ffff:127.0.0.1]/'])(
  '%s is refused without a look-up',
  (url) => expect(() => publicConnection(new URL(url))).toThrow(PrivateAddressError),
);

test('a connection to a public address is permitted, and none is reused', () => {
  expect(publicConnection(new URL('https://8.8.8.8/'))).toMatchObject({ agent: false });
});
