/** Metadata of an inbox file that controls how it is taken; docs/inbox.md describes each entry. */
const FILE_METADATA = ['idempotencykey', 'labels', 'csv', 'filename', 'importedfrom'] as const;

/**
 * The service accepts 8 KiB in total. Source: Microsoft Learn, setting and retrieving properties and metadata. The rest is
 * reserved for what a move adds.
 */
export const MAX_METADATA = 7 * 1024;

/** Returns metadata with lower-case names: blobs keep the case in which a name was written. */
export const lowerCased = (metadata: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]));

/** Returns the size of metadata in bytes. */
export const metadataBytes = (metadata: Readonly<Record<string, string>>): number =>
  Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** Returns the entries of a blob's metadata that control how the file is taken, with lower-case names. Omits all others. */
export function fileMetadata(metadata?: Record<string, string>): Record<string, string> {
  const all = Object.entries(lowerCased(metadata));
  const known = Object.fromEntries(all.filter(([name]) => (FILE_METADATA as readonly string[]).includes(name)));
  return metadataBytes(known) > MAX_METADATA ? {} : known;
}
