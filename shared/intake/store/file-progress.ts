/** The progress of an inbox file, kept as metadata of its checkpoint, so that one listing shows all files. */
import type { ContainerClient } from '@azure/storage-blob';
import { CHECKPOINTS_PREFIX, CONTAINERS } from '../../contract/names.ts';

export interface FileProgress {
  /** Path in the inbox; the ETag has no quotes. */
  name: string;
  etag: string;
  /** Size of its content as stored, and how much of it was read. */
  bytes: number;
  readBytes: number;
  readItems: number;
  /** When taking it began, ISO 8601. */
  since: string;
}

/** Writes the progress as metadata: a name has up to 1,024 characters of any script, which need 4 of the 8 KiB. */
export const progressMetadata = (progress: FileProgress): { progress: string } => ({
  progress: Buffer.from(JSON.stringify(progress)).toString('base64'),
});

/**
 * Lists the files that are being taken, with one operation per 5,000 files. A file has no entry before its first
 * checkpoint, which small files never write. The entry of a file that was removed or replaced stays until the sweep deletes
 * it, a day later, so compare name and ETag with the inbox.
 */
export async function* listTaking(deps: {
  container: (name: string) => ContainerClient;
}): AsyncGenerator<FileProgress> {
  const options = { prefix: CHECKPOINTS_PREFIX, includeMetadata: true };
  for await (const { metadata } of deps.container(CONTAINERS.payloads).listBlobsFlat(options))
    if (metadata?.progress !== undefined)
      yield JSON.parse(Buffer.from(metadata.progress, 'base64').toString()) as FileProgress;
}
