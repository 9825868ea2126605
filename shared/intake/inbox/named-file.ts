/** Takes one file of the inbox that a message refers to, immediately and in the same way as an inbox scan. */
import { CONTAINERS } from '../../contract/names.ts';
import { blobProperties } from '../../storage/blob-reads.ts';
import { findItem } from './find-item.ts';
import type { InboxDeps } from './inbox-deps.ts';
import { InboxMarks } from './inbox-marks.ts';
import { movedVersion, unquoted } from './inbox-move.ts';
import { type FileEnd, takeFile } from './take-file.ts';

/** Reading stops after this time, with a checkpoint: other messages wait for the slice. 210 MiB take half of it. */
const MAX_READ_MS = 60_000;
/** Without a version: how long before the message its file may have been taken, between the producer's two puts. */
const TAKEN_BEFORE_MS = 10 * 60_000;

export interface NamedFile {
  name: string;
  /** The version of the file, with or without quotes; undefined for any version. */
  etag?: string | undefined;
  producer: string;
  traceparent?: string | undefined;
  isAlone: boolean;
  /** Service time at which the message was put. */
  namedAt: Date;
  signal: AbortSignal;
}

/** How taking the file ended: as for any file, `taken` if it was taken before, `absent` if it does not exist (yet). */
export type NamedFileEnd = FileEnd | { end: 'taken' | 'absent' };

/**
 * Takes a file by its name, up to the size limit of an upload (`maxBodyBytes`). Its idempotency key is the same as in an
 * inbox scan, so both together create one batch. Throws when its properties cannot be read.
 */
export async function takeNamedFile(deps: InboxDeps, named: NamedFile): Promise<NamedFileEnd> {
  const { name, etag, producer, traceparent, isAlone } = named;
  const found = await findItem(deps.container(CONTAINERS.inbox), name);
  if (found === undefined || (etag !== undefined && found.properties.etag !== unquoted(etag)))
    return { end: (await wasTaken(deps, named)) ? 'taken' : 'absent' };
  const taking = {
    ...{ producer, traceparent, isAlone },
    maxBytes: deps.settings.maxBodyBytes,
    maxBytesSetting: 'SLUICE_MAX_BODY_BYTES',
    marks: new InboxMarks(deps.keys),
    signal: AbortSignal.any([named.signal, AbortSignal.timeout(MAX_READ_MS)]),
  };
  return takeFile(deps, taking, found);
}

/** Whether the file has left the inbox, moved by an earlier delivery of the message or by an inbox scan. */
async function wasTaken({ container }: Pick<InboxDeps, 'container'>, { name, ...named }: NamedFile): Promise<boolean> {
  for (const moved of [CONTAINERS.inboxDone, CONTAINERS.inboxRejected]) {
    const { metadata, lastModified } = (await blobProperties(container(moved).getBlobClient(name))) ?? {};
    const version = movedVersion(metadata);
    if (version === undefined || lastModified === undefined) continue;
    const isNamed =
      named.etag === undefined
        ? lastModified.getTime() >= named.namedAt.getTime() - TAKEN_BEFORE_MS
        : version === unquoted(named.etag);
    if (isNamed) return true;
  }
  return false;
}
