/** Rules of all three services: dates, versions, names of resources, metadata. */
import type { RawHeaders } from '../call.ts';
import type { Operation } from '../operation.ts';
import type { Request } from '../request.ts';
import { outOfRangeInput, type Rule } from './rule.ts';

const MAX_DATE_SKEW_MS = 15 * 60_000;
const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/** CORS preflight requests and reads of public containers need no authorization. */
const needsAuthorization = ({ head: { service, method }, query, header }: Request): boolean =>
  header('authorization') === undefined &&
  !query.has('sig') &&
  method !== 'OPTIONS' &&
  !(service === 'blob' && (method === 'GET' || method === 'HEAD'));

const isSigned = ({ header }: Request): boolean => header('authorization') !== undefined;

/** The rules for every call. */
export const COMMON_RULES: readonly Rule[] = [
  {
    id: 'authorization-required',
    check: (request) => {
      const message =
        'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.';
      const headers = ['WWW-Authenticate', 'Bearer'];
      const refusal = { status: 401, code: 'NoAuthenticationInformation', message, headers };
      return needsAuthorization(request) ? refusal : undefined;
    },
  },
  {
    id: 'date-window',
    check: (request, { nowMs, checkDates }) => {
      const date = request.header('x-ms-date') ?? request.header('date');
      if (!checkDates || !isSigned(request)) return undefined;
      if (Math.abs(Date.parse(date ?? '') - nowMs()) <= MAX_DATE_SKEW_MS) return undefined;
      return {
        status: 403,
        code: 'AuthenticationFailed',
        message:
          'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
        details: { AuthenticationErrorDetail: `The date header in the request is incorrect: ${date}` },
      };
    },
  },
  {
    id: 'version-required',
    check: (request) => {
      const version = request.header('x-ms-version');
      if (!isSigned(request)) return undefined;
      if (version === undefined) {
        const message = 'An HTTP header that is mandatory for this request is not specified.';
        return { status: 400, code: 'MissingRequiredHeader', message, details: { HeaderName: 'x-ms-version' } };
      }
      if (VERSION.test(version)) return undefined;
      const message = 'The value for one of the HTTP headers is not in the correct format.';
      const details = { HeaderName: 'x-ms-version', HeaderValue: version };
      return { status: 400, code: 'InvalidHeaderValue', message, details };
    },
  },
];

const NAME_LENGTH = { min: 3, max: 63 };
/** Lower-case letters, digits and single hyphens between them. */
const HYPHENATED = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const invalidName = {
  status: 400,
  code: 'InvalidResourceName',
  message: 'The specified resource name contains invalid characters.',
};

/** Creates the rule of queue or container names. Names in `special` are exempt. */
export const nameRule = (id: string, special: readonly string[] = []): Rule => ({
  id,
  check: ({ resource }) => {
    if (resource === undefined || special.includes(resource)) return undefined;
    if (resource.length < NAME_LENGTH.min || resource.length > NAME_LENGTH.max) {
      return outOfRangeInput('The specified resource name length is not within the permissible limits.');
    }
    return HYPHENATED.test(resource) ? undefined : invalidName;
  },
});

export { invalidName };

const META = 'x-ms-meta-';
const MAX_METADATA_BYTES = 8 * 1024;
/** Letters of other scripts are valid in C# identifiers, too, but not in headers. */
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ASCII = /^[\t\x20-\x7e]*$/;

/** Creates the rules of metadata in headers, for the operations that set it. */
export const metadataRules = (prefix: string, on: readonly Operation[]): readonly Rule[] => [
  {
    id: `${prefix}-metadata-names`,
    on,
    check: ({ head }) => {
      const pairs = metadataOf(head.headers);
      const names = new Set(pairs.map(([name]) => name.toLowerCase()));
      const fine =
        names.size === pairs.length && pairs.every(([name, value]) => IDENTIFIER.test(name) && ASCII.test(value));
      const message = 'The metadata specified is invalid. It has characters that are not permitted.';
      return fine ? undefined : { status: 400, code: 'InvalidMetadata', message };
    },
  },
  {
    id: `${prefix}-metadata-size`,
    on,
    check: ({ head }) => {
      const bytes = metadataOf(head.headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
      const message = 'The metadata specified exceeds the maximum permissible limit (8KB).';
      return bytes <= MAX_METADATA_BYTES ? undefined : { status: 400, code: 'MetadataTooLarge', message };
    },
  },
];

function metadataOf(headers: RawHeaders): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (name.toLowerCase().startsWith(META)) pairs.push([name.slice(META.length), headers[index + 1] ?? '']);
  }
  return pairs;
}
