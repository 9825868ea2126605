/** Which files of the inbox are being taken, and how far: what their checkpoints say. */
import type { ContainerClient } from '@azure/storage-blob';
import { CHECKPOINTS_PREFIX, CONTAINERS } from '../../../contract/names.ts';
import { type FileProgress, readFileProgress } from '../../store/checkpoint.ts';

export interface ProgressDeps {
  container: (name: string) => ContainerClient;
}

/** A file of which a part is stored already. `lane` is undefined where the path names none: the workload chooses one. */
export interface TakenFile extends FileProgress {
  /** When the latest checkpoint was written, ISO 8601. */
  updatedAt: string;
}

/**
 * Lists the files that are being taken, one operation per 5,000. A file has no entry before its first checkpoint, which
 * small files never write. An entry whose file was removed or replaced stays until the sweep deletes it, a day later: match
 * name and ETag with the inbox.
 */
export async function* listTaking({ container }: ProgressDeps): AsyncGenerator<TakenFile> {
  const options = { prefix: CHECKPOINTS_PREFIX, includeMetadata: true };
  for await (const { metadata = {}, properties } of container(CONTAINERS.payloads).listBlobsFlat(options)) {
    const progress = readFileProgress(metadata);
    if (progress) yield { ...progress, updatedAt: properties.lastModified.toISOString() };
  }
}
