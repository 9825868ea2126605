import { createHmac, timingSafeEqual } from 'node:crypto';
import { unauthorized } from '../errors.ts';

/** A shared access key. */
export interface SharedKey {
  readonly name: string;
  readonly key: string;
}

const PREFIX = 'SharedAccessSignature ';

function readFields(token: string): Map<string, string> {
  const pairs = token.slice(PREFIX.length).split('&');
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/**
 * Checks a SAS token and returns its resource, a URL. `now` is in milliseconds since 1970. Throws unauthorized if the
 * signature or the key name is wrong, or if the token is expired.
 */
export function checkSasToken(token: string, { name, key }: SharedKey, now: number): string {
  if (!token.startsWith(PREFIX)) throw unauthorized('The token is not a SharedAccessSignature.');
  const fields = readFields(token);
  const resource = fields.get('sr') ?? '';
  const expiry = fields.get('se') ?? '';
  const signature = Buffer.from(decodeURIComponent(fields.get('sig') ?? ''), 'base64');
  // The signature covers the encoded resource.
  const expected = createHmac('sha256', key).update(`${resource}\n${expiry}`).digest();
  const signed = signature.length === expected.length && timingSafeEqual(signature, expected);
  if (decodeURIComponent(fields.get('skn') ?? '') !== name || !signed) {
    throw unauthorized('The token has an invalid signature or key name.');
  }
  if (!(Number(expiry) * 1000 > now)) throw unauthorized('The token is expired.');
  return decodeURIComponent(resource);
}
