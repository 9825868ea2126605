/** Shared Key of the blob and queue service, for calls that the front changes or makes itself. */
import { createHmac } from 'node:crypto';
import { type CallHead, headerOf, withoutHeaders } from '../call.ts';
import type { StorageAccount } from '../connection-string.ts';
import { splitOnce } from '../request.ts';

/** Covered by the signature, in this order (learn: authorize-with-shared-key, version 2015-02-21 and later). */
const SIGNED_HEADERS = [
  ...['content-encoding', 'content-language', 'content-length', 'content-md5', 'content-type', 'date'],
  ...['if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range'],
];
const AUTHORIZATION = new Set(['authorization']);

/**
 * The changed call with a signature for what it is now, if the call had a right one before. A table signature covers no
 * query but `comp`, and a shared access signature only its own parameters: such a call stays as it is. So does one whose
 * signature is wrong or whose key the front does not have: the service refuses it.
 */
export function signAnew(head: CallHead, changed: CallHead, accounts: readonly StorageAccount[]): CallHead {
  const authorization = headerOf(head.headers, 'authorization') ?? '';
  const name = /^SharedKey ([^:]+):/.exec(authorization)?.[1];
  const account = accounts.find((one) => one.name === name);
  if (account === undefined || head.service === 'table' || authorization !== sharedKey(head, account)) return changed;
  const headers = withoutHeaders(changed.headers, AUTHORIZATION);
  return { ...changed, headers: [...headers, 'Authorization', sharedKey(changed, account)] };
}

/** The Authorization header of a call to the blob or queue service. */
export function sharedKey(head: CallHead, { name, key }: StorageAccount): string {
  const hmac = createHmac('sha256', Buffer.from(key, 'base64'));
  return `SharedKey ${name}:${hmac.update(stringToSign(head, name)).digest('base64')}`;
}

function stringToSign(head: CallHead, account: string): string {
  const values = SIGNED_HEADERS.map((name) => {
    const value = headerOf(head.headers, name) ?? '';
    return name === 'content-length' && value === '0' ? '' : value;
  });
  return [head.method, ...values, `${canonicalHeaders(head)}${canonicalResource(head.url, account)}`].join('\n');
}

function canonicalHeaders({ headers }: CallHead): string {
  const lines: [string, string][] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]?.toLowerCase() ?? '';
    if (name.startsWith('x-ms-')) lines.push([name, headers[index + 1]?.trim() ?? '']);
  }
  // As the service sorts: not by code unit, where `-` and `_` stand elsewhere.
  lines.sort(([a], [b]) => a.localeCompare(b));
  return lines.map(([name, value]) => `${name}:${value}\n`).join('');
}

function canonicalResource(url: string, account: string): string {
  const [path, search] = splitOnce(url, '?');
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const key = name.toLowerCase();
    parameters.set(key, [...(parameters.get(key) ?? []), value]);
  }
  const lines = [...parameters].sort(([a], [b]) => (a < b ? -1 : 1));
  return `/${account}${path}${lines.map(([name, values]) => `\n${name}:${values.sort().join(',')}`).join('')}`;
}
