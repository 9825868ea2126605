/** One file of the inbox that a message names: it is taken at once, as a look into the inbox would take it. */
import { CONTAINERS } from '../../contract/names.ts';
import { blobProperties } from '../../storage/blob-reads.ts';
import { InboxMarks } from './inbox-marks.ts';
import { movedVersion, unquoted } from './inbox-move.ts';
import { listedItem } from './listed-item.ts';
import { type FileEnd, type InboxDeps, takeFile } from './take-file.ts';

/**
 * Reading stops after this long, with a checkpoint from which the next try continues: other messages wait for the
 * slice. The largest upload (210 MiB) takes half of it.
 */
const MAX_READ_MS = 60_000;
/**
 * How long before its message was put a file may have been taken, where the message names no version: a look into the inbox
 * may come between the producer's two puts. A file of this name that was taken earlier was another one.
 */
const TAKEN_BEFORE_MS = 10 * 60_000;

export interface NamedFile {
  name: string;
  /** The version of the file, with or without quotes; undefined: any. */
  etag?: string | undefined;
  producer: string;
  traceparent?: string | undefined;
  /** Service time at which the message was put. */
  namedAt: Date;
  /** Ends the reading early. */
  signal: AbortSignal;
}

/** How the taking of a named file ended: as for any file, or `taken` before, or `absent`: it does not exist (yet). */
export type NamedFileEnd = FileEnd | { end: 'taken' | 'absent' };

/**
 * Takes a file by its name, within the limit of an upload (`maxBodyBytes`). It has the idempotency key that a look into the
 * inbox gives it, so both together make one batch. Throws when its properties cannot be read.
 */
export async function takeNamedFile(deps: InboxDeps, named: NamedFile): Promise<NamedFileEnd> {
  const { name, etag, producer, traceparent } = named;
  const inbox = deps.container(CONTAINERS.inbox);
  const found = await blobProperties(inbox.getBlobClient(name));
  if (found === undefined || (etag !== undefined && unquoted(found.etag ?? '') !== unquoted(etag)))
    return { end: (await wasTaken(deps, named)) ? 'taken' : 'absent' };
  const taking = {
    ...{
      inbox,
      producer,
      traceparent,
      maxBytes: deps.settings.maxBodyBytes,
      maxBytesSetting: 'SLUICE_MAX_BODY_BYTES',
      marks: new InboxMarks(deps.keys),
    },
    signal: AbortSignal.any([named.signal, AbortSignal.timeout(MAX_READ_MS)]),
  };
  return takeFile(deps, taking, listedItem(name, found));
}

/** Whether it has left the inbox: an earlier delivery of the message, or a look into the inbox, has moved it. */
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
