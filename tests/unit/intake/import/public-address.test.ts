import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { isPublicAddress, PrivateAddressError, publicLookup } from '../../../../shared/intake/import/public-address.ts';

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
