/** What passes through the front: a call, its answer, and what an interceptor can do with them. */
import type { Readable } from 'node:stream';

export type StorageService = 'blob' | 'queue' | 'table';

/** Alternating names and values, as received. */
export type RawHeaders = readonly string[];

/** A call without its body, which most rules do not need. */
export interface CallHead {
  service: StorageService;
  method: string;
  /** Path and query as received, percent-encoded. */
  url: string;
  headers: RawHeaders;
}

/** A call, as an interceptor receives it. */
export interface StorageCall extends CallHead {
  /** Path and query, decoded if possible. */
  path: string;
  /** Reads the whole body. It is not read before this function or `forward` is called. */
  body(): Promise<Buffer>;
}

/** An answer of the service. */
export interface StorageAnswer {
  status: number;
  headers: RawHeaders;
  body: Buffer;
}

/** An answer whose connection is cut after `cutAfterBytes` bytes of its body. Its Content-Length is that of the whole body. */
export interface CutAnswer extends StorageAnswer {
  cutAfterBytes: number;
  /** How long the connection is silent before it is cut. Defaults to 0. */
  cutAfterMs?: number;
}

/**
 * `reset` cuts the connection without an answer. `resetInRequest` reads half of the request's body first; if the body was
 * read already, it is the same as `reset`.
 */
export type Outcome = StorageAnswer | CutAnswer | 'reset' | 'resetInRequest';

/**
 * Decides about a call. Each call of `forward` executes the call (rules first, then the service); it rejects if the service
 * is unavailable. For a delay, the promise resolves later. For a frozen service, it never resolves: the client's call hangs
 * until the client cancels it or the front is closed. If it rejects, the connection is cut.
 */
export type Intercept = (call: StorageCall, forward: () => Promise<StorageAnswer>) => Promise<Outcome>;

/** A complete body, or a stream. */
export type Body = Buffer | Readable;

/** An answer whose body is buffered only if a rule reads it. */
export interface PassingAnswer {
  status: number;
  headers: RawHeaders;
  body: Body;
}

/** Returns the value of a header, whose name is compared without case, or undefined. */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() === name) return headers[index + 1];
  }
  return undefined;
}

/** Returns the headers without those in `names`, which must be in lower case. */
export function withoutHeaders(headers: RawHeaders, names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (!names.has(name.toLowerCase())) kept.push(name, headers[index + 1] ?? '');
  }
  return kept;
}

/**
 * Reads the whole body. Throws BodyTooLargeError if it is longer than `limit` bytes. It still reads and drops the rest, since
 * a client reads no answer while it sends.
 */
export async function readBody(body: Body, limit = Number.POSITIVE_INFINITY): Promise<Buffer> {
  if (Buffer.isBuffer(body)) {
    if (body.length > limit) throw new BodyTooLargeError(limit);
    return body;
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    length += part.length;
    if (length <= limit) parts.push(part);
  }
  if (length > limit) throw new BodyTooLargeError(limit);
  return Buffer.concat(parts, length);
}

/** The body is longer than the rules of its call allow. */
export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
  readonly limit: number;

  constructor(limit: number) {
    super(`Expected a body of at most ${limit} bytes, got more.`);
    this.limit = limit;
  }
}
