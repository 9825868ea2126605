/** Refuses a call as the service does: status, error code and body in the format of the service. */
import { randomUUID } from 'node:crypto';
import { type CallHead, headerOf, type StorageAnswer, type StorageService } from '../call.ts';
import { escapeXml } from '../xml.ts';

/** A refusal, as a rule returns it. */
export interface Refusal {
  /** Id of the rule in README.md. The answer contains it in the header x-front-rule, so that a log shows the reason. */
  rule?: string;
  status: number;
  code: string;
  message: string;
  /** Additional elements of an XML error body, by name. */
  details?: Readonly<Record<string, string>>;
  headers?: readonly string[];
}

/** Creates the answer from which the SDKs read code and message: XML, or JSON for tables. */
export function answerRefusal(head: CallHead, refusal: Refusal): StorageAnswer {
  const id = randomUUID();
  const message = `${refusal.message}\nRequestId:${id}\nTime:${new Date().toISOString()}`;
  const body = head.service === 'table' ? tableError(refusal.code, message) : xmlError(refusal, message);
  return {
    status: refusal.status,
    headers: [
      ...['x-ms-error-code', refusal.code, 'x-ms-request-id', id, 'x-ms-version', versionOf(head)],
      ...['Content-Type', CONTENT_TYPES[head.service], ...ruleHeader(refusal), ...(refusal.headers ?? [])],
    ],
    body: head.method === 'HEAD' ? Buffer.alloc(0) : Buffer.from(body),
  };
}

const ruleHeader = ({ rule }: Refusal): string[] => (rule === undefined ? [] : ['x-front-rule', rule]);

const TABLE_JSON = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';
const CONTENT_TYPES: Record<StorageService, string> = {
  blob: 'application/xml',
  queue: 'application/xml',
  table: TABLE_JSON,
};

const versionOf = (head: CallHead): string => headerOf(head.headers, 'x-ms-version') ?? '2019-02-02';

const tableError = (code: string, message: string): string =>
  JSON.stringify({ 'odata.error': { code, message: { lang: 'en-US', value: message } } });

function xmlError({ code, details = {} }: Refusal, message: string): string {
  const elements = Object.entries({ Code: code, Message: message, ...details });
  const inner = elements.map(([name, value]) => `<${name}>${escapeXml(value)}</${name}>`).join('');
  return `<?xml version="1.0" encoding="utf-8"?><Error>${inner}</Error>`;
}

/**
 * Creates the answer for a refused operation of a transaction: status 202 with one part, the error of the operation. `index`
 * counts operations from 0.
 */
export function answerTransactionRefusal(head: CallHead, refusal: Refusal, index: number): StorageAnswer {
  const id = randomUUID();
  const batch = `batchresponse_${id}`;
  const changes = `changesetresponse_${id}`;
  const message = `${index}:${refusal.message}\nRequestId:${id}\nTime:${new Date().toISOString()}`;
  const lines = [
    `--${batch}`,
    `Content-Type: multipart/mixed; boundary=${changes}`,
    '',
    `--${changes}`,
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    '',
    `HTTP/1.1 ${refusal.status} Bad Request`,
    'X-Content-Type-Options: nosniff',
    'DataServiceVersion: 3.0;',
    `Content-Type: ${TABLE_JSON}`,
    '',
    tableError(refusal.code, message),
    `--${changes}--`,
    `--${batch}--`,
    '',
  ];
  return {
    status: 202,
    headers: [
      ...['x-ms-request-id', id, 'x-ms-version', versionOf(head)],
      ...['Content-Type', `multipart/mixed; boundary=${batch}`, ...ruleHeader(refusal)],
    ],
    body: Buffer.from(lines.join('\r\n')),
  };
}
