/**
 * Maximum length of a blob name in characters, and maximum number of segments. Source: Microsoft Learn, naming and referencing
 * containers, blobs and metadata.
 */
export const MAX_BLOB_NAME = 1_024;
const MAX_SEGMENTS = 254;

/** Control characters, and the two code points that XML 1.0 excludes. */
const UNLISTABLE = /[\p{Cc}\ufffe\uffff]/u;
const DOT_SEGMENT = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/;

/**
 * Returns why `name` must not be used as a blob name; undefined if it may be. Must be called for every name from outside: the
 * SDK puts it into a URL, where `.` and `..` segments are resolved, so that such a name would read or write in another
 * container. Percent-encoded forms are refused too: the SDK escapes their `%`, but a proxy may decode them once more.
 */
export function blobNameFault(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > MAX_BLOB_NAME) return `has more than ${MAX_BLOB_NAME} characters`;
  if (!isListable(name)) return 'has a control character or half a surrogate pair';
  if (name.includes('\\')) return 'has a backslash';
  if (DOT_SEGMENT.test(withoutEscapes(name))) return 'has a segment "." or ".."';
  const segments = name.split('/');
  if (segments.includes('')) return 'has an empty segment';
  return segments.length > MAX_SEGMENTS ? `has more than ${MAX_SEGMENTS} segments` : undefined;
}

const withoutEscapes = (name: string): string => name.replaceAll(/%(?:2e|2f|5c)/gi, decodeURIComponent);

/** Whether a listing of blobs can contain `text`. The service writes names and markers as XML. */
export const isListable = (text: string): boolean => text.isWellFormed() && !UNLISTABLE.test(text);

/** Whether `name` may be used as a blob name. */
export const isBlobName = (name: string): boolean => blobNameFault(name) === undefined;
