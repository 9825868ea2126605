/** References of version 2. Each names a blob, which is processed like a file of the inbox and becomes a separate batch. */
import { MalformedMessageError } from '../contract/errors.ts';
import { type BlobReference, isBlobReference, type Reference, readReference } from '../contract/reference.ts';
import { errorCodeOf, isOutage, toError } from '../errors.ts';
import type { GateDeps } from '../gate/gate.ts';
import { isImport } from '../intake/inbox/import-file.ts';
import type { NamedFile, NamedFileEnd } from '../intake/inbox/named-file.ts';
import { type Entry, type Queue, setAside } from '../queues/messages.ts';
import { NoSlotError, type Slots } from '../slots.ts';
import { log } from '../telemetry/log.ts';
import { readTraceparent } from '../telemetry/trace.ts';
import type { QueueAddress } from '../workload/registry.ts';
import type { ReferenceRound } from './process-reference.ts';
import type { ChunkDisposition } from './publish/publish-results.ts';
import { FAULT_RETRY_SECONDS, returnMessage } from './return-message.ts';
import type { SharedLock } from './shared-lock.ts';

/** Number of failed tries after which a message is moved to the poison queue. */
const MAX_TRIES = 5;
/** Wait if the blob does not exist, or the error concerns it only: producers may put the message first. */
const ABSENT_RETRY_SECONDS = 60;

export interface AdoptDeps {
  queues: (name: string) => Queue;
  /** Takes a file of the inbox, found by its name. */
  takeFile: (file: Omit<NamedFile, 'signal'>) => Promise<NamedFileEnd>;
  /** Limits the files that the process takes at the same time, over all slices. */
  fileSlots: Pick<Slots, 'run'>;
  lock: SharedLock;
  gate: Pick<GateDeps, 'table' | 'now'>;
}

/**
 * Reads a message from a queue of items.
 * @throws MalformedMessageError, also for a blob that this queue must not accept: one of another workload, or an import
 * (`.url`), which would make a slice wait for a server on the internet.
 * @throws NewerContractError
 */
export function readReferenceOn({ workload }: QueueAddress, text: string): Reference | BlobReference {
  const reference = readReference(text);
  if (!isBlobReference(reference)) return reference;
  if (reference.workload !== workload.name)
    throw new MalformedMessageError(
      `Reference is for workload ${reference.workload}, but the queue belongs to ${workload.name}.`,
    );
  if (isImport(reference.blob))
    throw new MalformedMessageError('Reference names a file to import (.url). Only the inbox accepts such files.');
  return reference;
}

/** Creates a batch from the blob of a reference, or rejects the blob as the inbox does. Never throws. */
export async function adopt(
  deps: AdoptDeps,
  entry: Entry<BlobReference>,
  { address, lease, time }: Pick<ReferenceRound, 'address' | 'lease' | 'time'>,
): Promise<ChunkDisposition> {
  const { message, value } = entry;
  const { tries = 0 } = value;
  const named = { queue: address.queue, producer: value.producer, file: value.blob };
  const returnAfter = async (content: BlobReference, seconds: number): Promise<'returned'> => {
    await returnMessage(deps, entry, { address, lease, content, seconds });
    return 'returned';
  };
  if (time.isOver()) return returnAfter(value, 0);
  const charged = { ...value, tries: tries + 1 };
  const inTurn = <T>(lockAndBegin: () => Promise<T>): Promise<T> =>
    deps.fileSlots.run(lockAndBegin, { maxWaitMs: time.waitMs() });
  const begin = async (): Promise<TakeEnd | 'lost'> => {
    if (time.isOver()) throw new NoSlotError('The slice is over.');
    // The try is counted only now: a reference that waits for its turn must not be charged for the files before it.
    if (message.dequeueCount > 1 && !(await lease.rewrite(message.messageId, charged))) return 'lost';
    return take(deps, entry, { isAlone: false });
  };
  try {
    // The blob may crash the process on each try.
    if (tries >= MAX_TRIES) throw new Error(`The process ended during each of ${tries} tries.`);
    // A blob never runs beside a chunk that runs isolated: if the blob crashed the process, that chunk would be charged. The
    // lock is acquired last, because an isolated chunk waits for all holders of the lock, and the rest of the process waits
    // for that chunk.
    let end = await inTurn(() => deps.lock.shared(begin, time.waitMs()));
    // Any file or chunk may have ended the process during its tries so far.
    if (end === 'suspect') {
      const takeAlone = (): Promise<TakeEnd> => take(deps, entry, { isAlone: true });
      end = await inTurn(() => deps.lock.exclusive(takeAlone, time.waitMs()));
    }
    if (end === 'lost') return 'returned';
    log.info('blob-reference', { ...named, end });
    return end === 'passing' ? await returnAfter(value, FAULT_RETRY_SECONDS) : 'adopted';
  } catch (error) {
    if (error instanceof NoSlotError) return returnAfter(value, 0);
    log.warn('blob-deferred', { ...named, error: toError(error) });
    if (isOutage(error)) return returnAfter(value, FAULT_RETRY_SECONDS);
    if (charged.tries < MAX_TRIES) return returnAfter(charged, ABSENT_RETRY_SECONDS);
    const aside = { queue: deps.queues(address.queue), queues: deps.queues, workload: address.workload.name };
    return (await setAside(message, toError(error), aside)) ? 'setAside' : 'returned';
  }
}

type TakeEnd = 'accepted' | 'rejected' | 'taken' | 'passing' | 'suspect';

/**
 * Takes the blob.
 * @throws Error if the blob does not exist, or stays in the inbox until an operator acts.
 */
async function take(
  { takeFile }: AdoptDeps,
  { message, value }: Entry<BlobReference>,
  { isAlone }: { isAlone: boolean },
): Promise<TakeEnd> {
  const { blob: name, producer, etag } = value;
  const traceparent = readTraceparent(value.traceparent);
  const taken = await takeFile({ name, etag, producer, traceparent, isAlone, namedAt: message.insertedOn });
  switch (taken.end) {
    case 'absent':
      throw new Error(
        `Blob ${name}${etag === undefined ? '' : ` with ETag ${etag}`} does not exist in container inbox.`,
      );
    case 'stuck':
      log.error('inbox-stuck', { file: name, ...taken.decision, error: taken.error, code: errorCodeOf(taken.error) });
      throw taken.error;
    case 'deferred':
    case 'unfinished':
      return 'passing';
    default:
      return taken.end;
  }
}
