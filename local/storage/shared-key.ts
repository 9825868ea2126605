/** Shared Key of the blob and queue service, for calls that the front changes or makes itself. */
import { createHmac } from 'node:crypto';
import { type CallHead, headerOf, withoutHeaders } from './call.ts';
import type { StorageAccount } from './connection-string.ts';

/** Covered by the signature, in this order (learn: authorize-with-shared-key, version 2015-02-21 and later). */
const SIGNED_HEADERS = [
  ...['content-encoding', 'content-language', 'content-length', 'content-md5', 'content-type', 'date'],
  ...['if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range'],
];
const AUTHORIZATION = new Set(['authorization']);

/**
 * The call with a signature for its URL as it is now. A table signature covers no query but `comp`, and a shared access
 * signature only its own parameters: both stay valid, and such a call is returned as it is. So is a call of an account
 * whose key the front does not have; the service then refuses it.
 */
export function signAnew(head: CallHead, accounts: readonly StorageAccount[]): CallHead {
  const scheme = /^SharedKey ([^:]+):/.exec(headerOf(head.headers, 'authorization') ?? '');
  const account = accounts.find(({ name }) => name === scheme?.[1]);
  if (account === undefined || head.service === 'table') return head;
  const signature = createHmac('sha256', Buffer.from(account.key, 'base64'))
    .update(stringToSign(head, account.name))
    .digest('base64');
  const headers = withoutHeaders(head.headers, AUTHORIZATION);
  return { ...head, headers: [...headers, 'Authorization', `SharedKey ${account.name}:${signature}`] };
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
  const [path = '', search = ''] = url.split('?', 2);
  const parameters = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const key = name.toLowerCase();
    parameters.set(key, [...(parameters.get(key) ?? []), value]);
  }
  const lines = [...parameters].sort(([a], [b]) => (a < b ? -1 : 1));
  return `/${account}${path}${lines.map(([name, values]) => `\n${name}:${values.sort().join(',')}`).join('')}`;
}
