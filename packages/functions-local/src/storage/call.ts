/** What passes through the front: a call, its answer, and what an interceptor may make of them. */
import type { Readable } from 'node:stream';

export type StorageService = 'blob' | 'queue' | 'table';

/** Names and values in turn, as they came. */
export type RawHeaders = readonly string[];

/** A call without its body: all that most rules look at. */
export interface CallHead {
  service: StorageService;
  method: string;
  /** Path and query as they came, percent-encoded. */
  url: string;
  headers: RawHeaders;
}

/** A call as an interceptor sees it. */
export interface StorageCall extends CallHead {
  /** Path and query, decoded where they can be. */
  path: string;
  /** The whole body. It is not read before this or `forward` asks for it. */
  body(): Promise<Buffer>;
}

/** What the service answered. */
export interface StorageAnswer {
  status: number;
  headers: RawHeaders;
  body: Buffer;
}

/** An answer whose connection is cut after that many bytes of its body; its Content-Length promises the whole body. */
export interface CutAnswer extends StorageAnswer {
  cutAfterBytes: number;
  /** How long the connection is silent before it is cut. Default: 0. */
  cutAfterMs?: number;
}

/**
 * `reset` cuts the connection without an answer. `resetInRequest` reads half of the request's body first; where the body
 * has been read already, it is `reset`.
 */
export type Outcome = StorageAnswer | CutAnswer | 'reset' | 'resetInRequest';

/**
 * Decides about a call. `forward` carries it out (rules first, then the service) each time it is called, and rejects when
 * the service cannot be reached. A delay is a promise that settles later. A frozen service is one that never settles:
 * the client's call hangs until the client gives up or the front is closed. When it rejects, the connection is cut.
 */
export type Intercept = (call: StorageCall, forward: () => Promise<StorageAnswer>) => Promise<Outcome>;

/** A body that is whole, or still on its way. */
export type Body = Buffer | Readable;

/** An answer as it passes: its body is whole only where somebody looks at it. */
export interface PassingAnswer {
  status: number;
  headers: RawHeaders;
  body: Body;
}

/** The value of a header, in any case; undefined when there is none. */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() === name) return headers[index + 1];
  }
  return undefined;
}

/** The headers without those named, in lower case. */
export function withoutHeaders(headers: RawHeaders, names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (!names.has(name.toLowerCase())) kept.push(name, headers[index + 1] ?? '');
  }
  return kept;
}

/**
 * The whole body. Throws BodyTooLargeError when it is longer than `limit` bytes; the rest is read and dropped, since a
 * client that still sends reads no answer.
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

/** A body is longer than the rules of its call allow. */
export class BodyTooLargeError extends Error {
  override name = 'BodyTooLargeError';
  readonly limit: number;

  constructor(limit: number) {
    super(`Expected a body of at most ${limit} bytes, got more.`);
    this.limit = limit;
  }
}
