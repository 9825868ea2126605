/** Pages that end early, as on Azure and never on Azurite: shorter, at a partition boundary, or empty. */
import { splitOnce } from './request.ts';

/** How the pages of a client's queries and listings are cut. */
export interface PagePolicy {
  /** Entities per page of a query, 1 to 1,000. */
  entities: number;
  /** Blobs per page of a listing, 1 to 5,000. */
  blobs: number;
  /** Whether a page of several partitions ends at the boundary in its middle. */
  endAtPartition: boolean;
  /** Every n-th query or listing begins with an empty page that has a continuation token. 0 means none does. */
  emptyEvery: number;
}

/** Pages that the documentation allows at any time. */
export const STRICT_PAGES: PagePolicy = { entities: 1_000, blobs: 5_000, endAtPartition: true, emptyEvery: 5 };

/** Pages as Azurite returns them, for a test that counts operations. */
export const FULL_PAGES: PagePolicy = { entities: 1_000, blobs: 5_000, endAtPartition: false, emptyEvery: 0 };

/**
 * The continuation token of an empty page. The front removes it from the next call, which then starts the real query. It
 * differs from all tokens of Azurite, which are base64 of keys and names of blobs: `~` is not in base64, and a name has at
 * most 1,024 characters.
 */
export const AFTER_EMPTY = '~'.repeat(1_025);

/** A client's policy and its progress. */
export interface Paging {
  pages: PagePolicy;
  /** Counts a new query or listing, and returns whether it begins with an empty page. */
  beginsEmpty(): boolean;
}

export function createPaging(pages: PagePolicy): Paging {
  let begun = 0;
  const beginsEmpty = (): boolean => {
    begun += 1;
    return pages.emptyEvery > 0 && begun % pages.emptyEvery === 0;
  };
  return { pages, beginsEmpty };
}

/** Returns the URL with the query parameters set, or removed if the value is undefined. Other parameters stay unchanged. */
export function withQuery(url: string, changes: Readonly<Record<string, string | undefined>>): string {
  const [path, search] = splitOnce(url, '?');
  const kept = search.split('&').filter((part) => part !== '' && !(nameOf(part) in changes));
  const set = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  const all = [...kept, ...set];
  return all.length === 0 ? path : `${path}?${all.join('&')}`;
}

const nameOf = (part: string): string => decodeURIComponent(part.split('=', 1)[0] ?? '');
