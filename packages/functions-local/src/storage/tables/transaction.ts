/** The body of an entity group transaction: multipart/mixed with one change set of HTTP requests. */
import { type CallHead, withoutHeaders } from '../call.ts';
import { parseRequest, type Request } from '../request.ts';

/** Parses the operations of the change set, in order. Returns none for a batch that is a single query. */
export function parseTransaction(body: Buffer): Request[] {
  const text = body.toString();
  const boundary = /^content-type: *multipart\/mixed; *boundary="?([^"\r\n;]+)/im.exec(text)?.[1];
  if (boundary === undefined) return [];
  const parts = text.split(new RegExp(`^--${escapeRegExp(boundary)}(?:--)?[ \\t]*\\r?$`, 'm')).slice(1, -1);
  return parts.flatMap((part) => parsePart(part) ?? []);
}

/** Parses a part: its headers, an empty line, and a request (request line, headers, empty line, body). */
function parsePart(part: string): Request | undefined {
  const lines = part.split(/\r?\n/);
  const start = lines.findIndex((line) => /^[A-Z]+ \S.* HTTP\/1\.[01]$/.test(line.trimEnd()));
  const [, method = '', target = ''] = /^([A-Z]+) (.+) HTTP\/1\.[01]\s*$/.exec(lines[start] ?? '') ?? [];
  if (start < 0) return undefined;
  const blank = lines.indexOf('', start);
  const headers = lines.slice(start + 1, blank < 0 ? undefined : blank).flatMap((line) => {
    const colon = line.indexOf(':');
    return colon < 0 ? [] : [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  const head: CallHead = { service: 'table', method, url: target.replace(/^\w+:\/\/[^/]+/, ''), headers };
  const body =
    blank < 0
      ? ''
      : lines
          .slice(blank + 1)
          .join('\n')
          .trim();
  return { ...parseRequest(head), body: Buffer.from(body) };
}

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Escapes U+2028 and U+2029 in a call. Azurite finds each entity with `/{+.+}+/`, in which the dot matches neither, and
 * answers 500 to every transaction that contains one. Azure reads JSON. The signature covers neither the body nor its length.
 */
export function withoutLineSeparators(head: CallHead, body: Buffer): { head: CallHead; body: Buffer } {
  const text = body.toString();
  const escaped = text.replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
  if (escaped === text) return { head, body };
  const changed = Buffer.from(escaped);
  const headers = [...withoutHeaders(head.headers, LENGTH), 'Content-Length', String(changed.length)];
  return { head: { ...head, headers }, body: changed };
}

const LENGTH = new Set(['content-length']);
