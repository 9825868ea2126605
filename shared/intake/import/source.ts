/** What the two kinds of source have in common. */
import { Problem } from '../../errors.ts';

/** Where to begin, and the version that it has to be, if that is known. */
export interface SourcePlace {
  offset: number;
  etag?: string | undefined;
}

/** The content of a source from `offset` on, which is 0 where the source cannot begin elsewhere. */
export interface OpenedSource {
  offset: number;
  /** A strong ETag, with its quotes; undefined: a change of the source cannot be detected. */
  etag: string | undefined;
  /** Size of the whole source; undefined: it does not say. */
  bytes: number | undefined;
  body: AsyncIterable<Uint8Array>;
  close: () => void;
}

/**
 * Opens a source.
 * @throws Problem 'source-unreadable', or 'busy' for what may pass; SourceChangedError for another version than asked for.
 */
export type OpenSource = (place: SourcePlace, signal: AbortSignal | undefined) => Promise<OpenedSource>;

/** The source is not of the version that was asked for, or ends before the place. */
export class SourceChangedError extends Error {
  override name = 'SourceChangedError';
}

/** A source cannot be read, and trying again would not help. */
export const unreadable = (detail: string, cause?: unknown): Problem =>
  new Problem('source-unreadable', detail, { cause });

/** A weak ETag may stay when bytes change (RFC 9110, section 8.8.1), so it cannot hold two reads together. */
export const strongEtag = (etag: string | undefined): string | undefined =>
  etag !== undefined && /^"[^"]*"$/.test(etag) ? etag : undefined;
