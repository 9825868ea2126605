/** Progress of a file that is being taken, stored as metadata of its checkpoint, so that one listing shows all files. */

/** The file that is being taken, as in listings. */
export interface TakenSource {
  /** Path in the inbox; the ETag has no quotes. */
  name: string;
  etag: string;
  workload: string;
  lane: string | undefined;
  /** Size as stored in the inbox. */
  bytes: number;
}

/** How much of a file has been taken. */
export interface FileProgress extends TakenSource {
  readBytes: number;
  readItems: number;
  /** When taking it began, ISO 8601. */
  since: string;
}

/**
 * Writes the progress as metadata. A name has up to 1,024 characters of any script: its base64 fits into the 8 KiB of
 * metadata, percent-encoding may not.
 */
export function progressMetadata({ name, lane, ...progress }: FileProgress): Record<string, string> {
  const { etag, workload, bytes, readBytes, readItems, since } = progress;
  return {
    file: Buffer.from(name).toString('base64url'),
    etag,
    workload,
    ...(lane === undefined ? {} : { lane }),
    bytes: String(bytes),
    readbytes: String(readBytes),
    readitems: String(readItems),
    since,
  };
}

/** Parses the progress from the metadata of a checkpoint; undefined if the blob is not one. */
export function readFileProgress(metadata: Record<string, string>): FileProgress | undefined {
  const { file, etag, workload, lane, bytes, readbytes, readitems, since } = metadata;
  if (file === undefined || etag === undefined || workload === undefined || since === undefined) return undefined;
  return {
    name: Buffer.from(file, 'base64url').toString(),
    etag,
    workload,
    lane,
    bytes: Number(bytes),
    readBytes: Number(readbytes),
    readItems: Number(readitems),
    since,
  };
}
