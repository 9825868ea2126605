/** Metadata of an inbox file that says how it is to be taken; docs/inbox.md names what each entry is. */
const FILE_METADATA = ['idempotencykey', 'labels', 'csv', 'filename', 'importedfrom'] as const;

/** The service takes 8 KiB in all (learn: setting and retrieving properties and metadata); some is left for what a move adds. */
export const MAX_METADATA = 7 * 1024;

/** Metadata under lower-case names: blobs keep the case that a name was written in. */
export const lowerCased = (metadata: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name.toLowerCase(), value]));

/** The room that metadata takes, in bytes. */
export const metadataBytes = (metadata: Readonly<Record<string, string>>): number =>
  Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);

/** What of a blob's metadata says how the file is to be taken, under lower-case names. Everything else is left out. */
export function fileMetadata(metadata?: Record<string, string>): Record<string, string> {
  const all = Object.entries(lowerCased(metadata));
  const known = Object.fromEntries(all.filter(([name]) => (FILE_METADATA as readonly string[]).includes(name)));
  return metadataBytes(known) > MAX_METADATA ? {} : known;
}
