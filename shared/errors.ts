/** The errors that cross folders, a class per decision of the caller. */

/** Where in an upload something is wrong: 1-based line and column of the decoded text. */
export interface UploadPosition {
  line: number;
  /** Absent where it is not known: an item of CSV or of a JSON array is checked as the record that it became. */
  column?: number | undefined;
  message: string;
}

/** The kinds of problem an HTTP caller can meet, with their status and title; docs/api.md explains each. */
export const PROBLEMS = {
  'malformed-record': [400, 'A record of the upload cannot be read'],
  'malformed-encoding': [400, 'The compressed body is broken'],
  'empty-batch': [400, 'The upload holds no record'],
  'invalid-parameter': [400, 'A parameter is not valid'],
  'not-found': [404, 'No such resource'],
  'upload-stalled': [408, 'The upload stopped coming in'],
  conflict: [409, 'The resource is in another state'],
  'upload-in-progress': [409, 'Another upload holds this idempotency key'],
  'repeated-content': [409, 'A batch with the same content was accepted before'],
  'precondition-failed': [412, 'The resource was changed meanwhile'],
  'too-large': [413, 'The upload is over a limit'],
  'body-too-large': [413, 'The body is over the limit of an upload over HTTP'],
  'unsupported-media-type': [415, 'The content type or encoding is not supported'],
  'invalid-items': [422, 'Items of the upload do not fit the schema'],
  'idempotency-mismatch': [422, 'The idempotency key was used for other content'],
  'source-unreadable': [422, 'The file at the address cannot be read'],
  busy: [503, 'The service is busy'],
} as const;
export type ProblemType = keyof typeof PROBLEMS;

/** A request cannot be served, and the answer says why: becomes an RFC 9457 problem document, never a log entry. */
export class Problem extends Error {
  override name = 'Problem';
  readonly type: ProblemType;
  readonly status: number;
  readonly title: string;
  readonly errors: UploadPosition[];
  constructor(type: ProblemType, detail: string, options: { errors?: UploadPosition[]; cause?: unknown } = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.type = type;
    [this.status, this.title] = PROBLEMS[type];
    this.errors = options.errors ?? [];
  }
}

/** A table, container or topic that the deployment makes is not there: nothing works before an operator has made it again. */
export class MissingResourceError extends Error {
  override name = 'MissingResourceError';
  constructor(resource: string, { service, cause }: { service: string; cause?: unknown }) {
    super(`The ${resource} does not exist in ${service}. Deploy the infrastructure again, or create it.`, { cause });
  }
}

/** A row was changed by others each time that it was to be changed: nothing was written, and it may be tried again later. */
export class ContentionError extends Error {
  override name = 'ContentionError';
}

/** A client broke off its request: nobody is left to be answered, and nothing is wrong here. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError';
}

/** The durable runtime refused to start a drain, or did not answer; the message is that of its error, which is the cause. */
export class DrainStartError extends Error {
  override name = 'DrainStartError';
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Whatever was thrown, as an Error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The HTTP status of a storage SDK's RestError, or undefined for anything else. */
export function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return undefined;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}

/**
 * The error code of a storage service, such as `TableNotFound`, or undefined. The SDKs put it in three places: on the error
 * (transactions), in the parsed body (tables), or in the parsed headers (blobs and queues).
 */
export function errorCodeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const { code, details } = thrown as {
    code?: unknown;
    details?: { odataError?: { code?: unknown }; errorCode?: unknown };
  };
  const found = code ?? details?.odataError?.code ?? details?.errorCode;
  return typeof found === 'string' ? found : undefined;
}

/** Statuses by which a service says that it, or our way to it, is not well: not signed in, no right, too slow, too busy. */
const OUTAGE = new Set([401, 403, 408, 429]);
/** Errors without a status: no answer, or no token from the identity. */
const OUTAGE_NAMES = new Set([
  'RestError',
  'AbortError',
  'CredentialUnavailableError',
  'AuthenticationError',
  'AggregateAuthenticationError',
]);

/**
 * Whether a service refused a request for what it says (400, or 413 for its size), so that it would do so again.
 */
export const isRefused = (thrown: unknown): boolean => [400, 413].includes(statusOf(thrown) ?? 0);

/**
 * Whether a service was away, too busy, not set up, or would not let us in (an SDK gives an error without status when
 * there was no answer): no fault of what was asked for, and likely to pass.
 */
export function isOutage(thrown: unknown): boolean {
  const status = statusOf(thrown);
  if (status !== undefined) return status >= 500 || OUTAGE.has(status);
  if (thrown instanceof MissingResourceError || thrown instanceof ContentionError) return true;
  if (!(thrown instanceof Error)) return false;
  // A ServiceBusError says by itself whether it is likely to pass.
  return OUTAGE_NAMES.has(thrown.name) || ('retryable' in thrown && thrown.retryable === true);
}
