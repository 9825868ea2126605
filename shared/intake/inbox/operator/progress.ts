/** Lists the files of the inbox that are being taken and their progress, from the metadata of their checkpoints. */
import type { ContainerClient } from '@azure/storage-blob';
import { CHECKPOINTS_PREFIX, CONTAINERS } from '../../../contract/names.ts';
import { type FileProgress, readFileProgress } from '../../store/file-progress.ts';

export interface ProgressDeps {
  container: (name: string) => ContainerClient;
}

/** A file that is partly stored. `lane` is undefined if the path contains none: then the workload chooses one. */
export interface TakenFile extends FileProgress {
  /** When the latest checkpoint was written, ISO 8601. */
  updatedAt: string;
}

/**
 * Lists the files that are being taken, with one operation per 5,000 files. A file has no entry before its first
 * checkpoint, which small files never write. The entry of a file that was removed or replaced stays until the sweep deletes
 * it, a day later, so compare name and ETag with the inbox.
 */
export async function* listTaking({ container }: ProgressDeps): AsyncGenerator<TakenFile> {
  const options = { prefix: CHECKPOINTS_PREFIX, includeMetadata: true };
  for await (const { metadata = {}, properties } of container(CONTAINERS.payloads).listBlobsFlat(options)) {
    const progress = readFileProgress(metadata);
    if (progress) yield { ...progress, updatedAt: properties.lastModified.toISOString() };
  }
}
