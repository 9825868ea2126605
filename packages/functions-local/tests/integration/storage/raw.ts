/** Calls that the SDKs themselves would refuse or repair: any method, path, headers and body, signed. */
import { createHmac } from 'node:crypto';
import type { StorageService } from '../../../src/storage/call.ts';
import { EMULATOR_ACCOUNT, type ServicePorts } from '../../../src/storage/index.ts';
import { sharedKey } from '../../../src/storage/rules/shared-key.ts';

export interface RawCall {
  service: StorageService;
  method?: string;
  /** After the account, with the query; percent-encoded. */
  path: string;
  /** A header with the value undefined is omitted. */
  headers?: Record<string, string | undefined>;
  body?: string | Buffer;
}

export interface RawAnswer {
  status: number;
  /** From the error header. */
  code: string | null;
  /** The rule of the front that refused the call. */
  rule: string | null;
  headers: Headers;
  text: string;
}

/** Sends a call with the emulator's account. An `authorization` header takes precedence. */
export async function callRaw(ports: ServicePorts, call: RawCall): Promise<RawAnswer> {
  const { service, method = 'PUT', path, body } = call;
  const url = `/${EMULATOR_ACCOUNT.name}/${path}`;
  const given = {
    'x-ms-date': new Date().toUTCString(),
    'x-ms-version': '2021-12-02',
    ...lengthOf(body),
    ...call.headers,
  };
  const headers = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  const authorization =
    service === 'table' ? tableKey(headers, url) : sharedKey({ service, method, url, headers }, EMULATOR_ACCOUNT);
  const signed = call.headers?.authorization === undefined ? [...headers, 'authorization', authorization] : headers;
  const pairs = Array.from({ length: signed.length / 2 }, (_, at): [string, string] => [
    signed[2 * at] ?? '',
    signed[2 * at + 1] ?? '',
  ]);
  const answer = await fetch(`http://127.0.0.1:${ports[service]}${url}`, {
    method,
    headers: pairs.filter(([name]) => name.toLowerCase() !== 'content-length'),
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  const { status, headers: got } = answer;
  return { status, code: got.get('x-ms-error-code'), rule: got.get('x-front-rule'), headers: got, text };
}

const lengthOf = (body: string | Buffer | undefined): Record<string, string> =>
  body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)), 'content-type': 'application/xml' };

/** Shared Key Lite of tables: date and path, without the query. */
function tableKey(headers: string[], url: string): string {
  const date = headers[headers.indexOf('x-ms-date') + 1] ?? '';
  const text = `${date}\n/${EMULATOR_ACCOUNT.name}${url.split('?', 1)[0]}`;
  const signature = createHmac('sha256', Buffer.from(EMULATOR_ACCOUNT.key, 'base64')).update(text).digest('base64');
  return `SharedKeyLite ${EMULATOR_ACCOUNT.name}:${signature}`;
}
