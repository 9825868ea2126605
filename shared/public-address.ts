/**
 * Decides which addresses the app may connect to for a host name that a client gives: only those of the public Internet.
 * Nothing of the app makes such a connection today.
 */
import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * IANA special-purpose registries of IPv4, multicast, and 168.63.129.16, at which Azure's platform serves virtual machines.
 */
const NOT_PUBLIC_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/**
 * Global unicast, except protocol assignments (including Teredo), documentation, and 6to4, which can contain any IPv4
 * address.
 */
const PUBLIC_V6 = ['2000::/3'];
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const blockList = (family: 'ipv4' | 'ipv6', subnets: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', bits] = subnet.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};
const notPublicV4 = blockList('ipv4', NOT_PUBLIC_V4);
const publicV6 = blockList('ipv6', PUBLIC_V6);
const notPublicV6 = blockList('ipv6', NOT_PUBLIC_V6);

/**
 * Whether `address` belongs to the public Internet: not private, loopback, link-local, shared or reserved. IPv4 addresses
 * inside IPv6 addresses never count as public, because no legitimate source needs them.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !notPublicV4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  return publicV6.check(address, 'ipv6') && !notPublicV6.check(address, 'ipv6');
}

/** A host is, or resolves to, an address that is not public. */
export class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';
}

type Resolve = (
  hostname: string,
  options: { all: true; family?: number; hints?: number },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns the options with which a request of `node:https` connects only to public addresses. Without an agent, no
 * connection is reused whose host name was resolved earlier.
 * @throws PrivateAddressError if the host is an address that is not public: for addresses, Node.js calls no look-up. A
 * name is checked when the request connects, which then fails with PrivateAddressError.
 */
export function publicConnection(
  { hostname }: URL,
  lookup: LookupFunction = publicLookup(),
): { agent: false; lookup: LookupFunction } {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && !isPublicAddress(address))
    throw new PrivateAddressError(`${hostname} is an address that is not public.`);
  return { agent: false, lookup };
}

/**
 * Creates the look-up function for connections. It checks exactly the addresses that are connected to: a separate look-up
 * before the connection could return other addresses. One address that is not public is enough to refuse the name.
 */
export const publicLookup =
  (resolve: Resolve = dnsLookup): LookupFunction =>
  (hostname, { family, hints, all }, callback) => {
    const kind = { ...(typeof family === 'number' ? { family } : {}), ...(hints === undefined ? {} : { hints }) };
    resolve(hostname, { ...kind, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const [first] = addresses;
      if (first === undefined || addresses.some(({ address }) => !isPublicAddress(address)))
        return callback(new PrivateAddressError(`${hostname} resolves to an address that is not public.`), '');
      if (all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
