/** Errors that several folders use: one class per decision of the caller. */

/** The position of an error in an upload: 1-based line and column of the decoded text. */
export interface UploadPosition {
  line: number;
  /** Absent for an item that does not fit its schema: its message has the path of the value. */
  column?: number | undefined;
  message: string;
}

/** The kinds of problem that an HTTP client can receive, with status and title. docs/api.md explains each. */
export const PROBLEMS = {
  'malformed-record': [400, 'A record of the upload cannot be read'],
  'malformed-encoding': [400, 'The compressed body is corrupt'],
  'empty-batch': [400, 'The upload contains no record'],
  'invalid-parameter': [400, 'A parameter is not valid'],
  'not-found': [404, 'No such resource'],
  'upload-stalled': [408, 'The upload stalled'],
  conflict: [409, 'The resource is in another state'],
  'upload-in-progress': [409, 'Another upload is using this idempotency key'],
  'repeated-content': [409, 'A batch with the same content was accepted before'],
  'precondition-failed': [412, 'The resource has changed in the meantime'],
  'too-large': [413, 'The upload exceeds a limit'],
  'body-too-large': [413, 'The body exceeds the limit of an upload over HTTP'],
  'unsupported-media-type': [415, 'The content type or encoding is not supported'],
  'invalid-items': [422, 'Items of the upload do not fit the schema'],
  'idempotency-mismatch': [422, 'The idempotency key was used with different content'],
  'process-ended': [422, 'Reading the file ended the process'],
  'source-unreadable': [422, 'The file at the address cannot be read'],
  busy: [503, 'The service is busy'],
} as const;
export type ProblemType = keyof typeof PROBLEMS;

/** The response contains why a request cannot be served: an RFC 9457 problem document, never a log entry. */
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

/**
 * A batch that its caller has seen was deleted meanwhile, or is being deleted: a caller that has written something of it
 * removes that again.
 */
export class BatchGoneError extends Problem {
  override name = 'BatchGoneError';
  readonly batch: string;
  /** Whether its row still exists: then the deletion, or the sweep, removes the rest. */
  readonly isBeingDeleted: boolean;
  constructor(id: string, { isBeingDeleted }: { isBeingDeleted: boolean }) {
    if (isBeingDeleted) super('conflict', `Batch ${id} is being deleted.`);
    else super('not-found', `There is no batch "${id}".`);
    this.batch = id;
    this.isBeingDeleted = isBeingDeleted;
  }
}

/** A table, container or topic of the deployment does not exist: nothing works until an operator creates it. */
export class MissingResourceError extends Error {
  override name = 'MissingResourceError';
  constructor(resource: string, { service, cause }: { service: string; cause?: unknown }) {
    super(`The ${resource} does not exist in ${service}. Deploy the infrastructure again, or create it.`, { cause });
  }
}

/** Other writers changed a row during each attempt to change it. Nothing was written; the call can be repeated. */
export class ContentionError extends Error {
  override name = 'ContentionError';
}

/** A client closed its connection before the response: there is no recipient, and nothing is wrong here. */
export class ClientGoneError extends Error {
  override name = 'ClientGoneError';
}

/** The durable runtime refused to start a drain, or did not respond; `cause` is its error. */
export class DrainStartError extends Error {
  override name = 'DrainStartError';
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Converts any thrown value to an Error. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Returns the HTTP status of a storage SDK's RestError, or undefined for any other value. */
export function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return undefined;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}

/** Returns the answer of a storage service, or undefined if its status is one of `statuses`. Throws any other error. */
export async function unlessStatus<T>(statuses: readonly number[], answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (statuses.includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}

/**
 * Returns the error code of a storage service, such as `TableNotFound`, or undefined. The SDKs store it in three
 * places: on the error (transactions), in the parsed body (tables), or in the parsed headers (blobs and queues).
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

/** Statuses of a problem of the service or of our access: not authenticated or authorized, too slow, too busy. */
const OUTAGE = new Set([401, 403, 408, 429]);
/** Errors without a status: no response, or no token from the identity. */
const OUTAGE_NAMES = new Set([
  'RestError',
  'AbortError',
  'CredentialUnavailableError',
  'AuthenticationError',
  'AggregateAuthenticationError',
]);

/**
 * Whether a service refused a request because of its content (400) or size (413), so that it would refuse a repeat,
 * too.
 */
export const isRefused = (thrown: unknown): boolean => [400, 413].includes(statusOf(thrown) ?? 0);

/**
 * Whether a service was unavailable, too busy, not set up, or refused access. (An SDK throws an error without status
 * when there was no response.) Such an error is not caused by the content of the request, and is probably temporary.
 */
export function isOutage(thrown: unknown): boolean {
  const status = statusOf(thrown);
  if (status !== undefined) return status >= 500 || OUTAGE.has(status);
  if (thrown instanceof MissingResourceError || thrown instanceof ContentionError) return true;
  if (!(thrown instanceof Error)) return false;
  // A ServiceBusError specifies whether it is probably temporary.
  return OUTAGE_NAMES.has(thrown.name) || ('retryable' in thrown && thrown.retryable === true);
}
