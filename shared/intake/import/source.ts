/** Types and errors that both kinds of source share. */
import { Problem } from '../../errors.ts';

/** The offset to begin at, and the required version, if it is known. */
export interface SourcePlace {
  offset: number;
  etag?: string | undefined;
}

/** The content of a source from `offset` on. `offset` is 0 if the source ignores ranges. */
export interface OpenedSource {
  offset: number;
  /** A strong ETag with its quotes. If undefined, a change of the source cannot be detected. */
  etag: string | undefined;
  /** Size of the whole source; undefined if the source does not report it. */
  bytes: number | undefined;
  body: AsyncIterable<Uint8Array>;
  close: () => void;
}

/**
 * Opens a source.
 * @throws Problem 'source-unreadable', or 'busy' for a transient failure; SourceChangedError if the version differs from
 * `etag`.
 */
export type OpenSource = (place: SourcePlace, signal: AbortSignal | undefined) => Promise<OpenedSource>;

/** The source has another version than required, or ends before the offset. */
export class SourceChangedError extends Error {
  override name = 'SourceChangedError';
}

/** Creates the problem of a source that cannot be read, where a retry would not help. */
export const unreadable = (detail: string, cause?: unknown): Problem =>
  new Problem('source-unreadable', detail, { cause });

/**
 * Returns `etag` if it is strong. A weak ETag may stay the same when bytes change (RFC 9110, section 8.8.1), so it cannot
 * guarantee that two reads belong together.
 */
export const strongEtag = (etag: string | undefined): string | undefined =>
  etag !== undefined && /^"[^"]*"$/.test(etag) ? etag : undefined;
