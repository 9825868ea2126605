/** Shared Key of the blob and queue service, for calls that the front changes or sends itself. */
import { createHmac } from 'node:crypto';
import { type CallHead, headerOf, withoutHeaders } from '../call.ts';
import type { StorageAccount } from '../connection-string.ts';
import { splitOnce } from '../request.ts';

/** The signed headers, in this order. Source: Microsoft Learn, authorize-with-shared-key, version 2015-02-21 and later. */
const SIGNED_HEADERS = [
  ...['content-encoding', 'content-language', 'content-length', 'content-md5', 'content-type', 'date'],
  ...['if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range'],
];
const AUTHORIZATION = new Set(['authorization']);

/**
 * Creates a new signature for the changed call, if the original signature was valid. A table signature covers only `comp` of
 * the query, and a shared access signature only its own parameters. Such a call keeps its signature. So does a call with an
 * invalid signature or an unknown account: the service refuses it.
 */
export function signAnew(head: CallHead, changed: CallHead, accounts: readonly StorageAccount[]): CallHead {
  const authorization = headerOf(head.headers, 'authorization') ?? '';
  const name = /^SharedKey ([^:]+):/.exec(authorization)?.[1];
  const account = accounts.find((one) => one.name === name);
  if (account === undefined || head.service === 'table' || authorization !== sharedKey(head, account)) return changed;
  const headers = withoutHeaders(changed.headers, AUTHORIZATION);
  return { ...changed, headers: [...headers, 'Authorization', sharedKey(changed, account)] };
}

/** Creates the Authorization header of a call to the blob or queue service. */
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
  // Sorted as the service does. Sorting by code unit would place `-` and `_` differently.
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
