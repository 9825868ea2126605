import { ENCODINGS, MEDIA_TYPES, type NamedFormat, type UploadEncoding } from '../../contract/upload-kinds.ts';
import { Problem } from '../../errors.ts';

/**
 * Returns the format that a Content-Type header specifies.
 * @throws Problem 'unsupported-media-type' for an unknown or missing type, a charset other than UTF-8, or CSV without
 * header.
 */
export function formatOf(contentType: string | null | undefined): NamedFormat {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  const format = MEDIA_TYPES.get(type.trim());
  const got = contentType === null || contentType === undefined ? 'none' : `"${contentType}"`;
  if (format === undefined)
    throw new Problem('unsupported-media-type', `Content-Type must be ${oneOf([...MEDIA_TYPES.keys()])}; got ${got}.`);
  const refused = parameters.map(unquoted).find((parameter) => !isSupported(parameter));
  if (refused !== undefined)
    throw new Problem(
      'unsupported-media-type',
      `Content-Type may specify only charset UTF-8 (for CSV in another one, use ?charset=) and only CSV with a header line; got ${got}.`,
    );
  return format;
}

const unquoted = (parameter: string): string => parameter.replaceAll(/["\s]/g, '');

function isSupported(parameter: string): boolean {
  if (parameter.startsWith('charset=')) return /^charset=(utf-?8|us-ascii)$/.test(parameter);
  return parameter !== 'header=absent';
}

/**
 * Returns the encoding that a Content-Encoding header specifies. A missing header means identity; x-gzip means gzip (RFC
 * 9110, 8.4.1.3).
 * @throws Problem 'unsupported-media-type' for any other value, and for several encodings.
 */
export function encodingOf(contentEncoding: string | null | undefined): UploadEncoding {
  const name = (contentEncoding ?? '').trim().toLowerCase();
  if (name === '') return 'identity';
  const encoding = ENCODINGS.find((known) => known === (name === 'x-gzip' ? 'gzip' : name));
  if (encoding === undefined)
    throw new Problem('unsupported-media-type', `Content-Encoding must be ${oneOf(ENCODINGS)}; got "${name}".`);
  return encoding;
}

const oneOf = (names: readonly string[]): string => `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
