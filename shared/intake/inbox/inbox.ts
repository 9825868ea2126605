/**
 * The inbox: a file dropped at `inbox/<workload>/[<lane>/]<name>` becomes a batch and moves to `inbox-done`, or to
 * `inbox-rejected` with the reason beside it. A crash at any point repeats with the same idempotency key, and a large file
 * goes on from its checkpoint. A file that cannot be read, judged or moved stays, is logged and counted, and keeps no other
 * from being taken.
 */
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { readBatch } from '../../batches/ledger.ts';
import { blobNameFault } from '../../contract/blob-name.ts';
import { CONTAINERS } from '../../contract/names.ts';
import { errorCodeOf, isOutage, Problem, toError } from '../../errors.ts';
import { createSlots } from '../../slots.ts';
import { log } from '../../telemetry/log.ts';
import { type ImportDeps, importFile, isImport } from '../import/import-file.ts';
import { CheckpointLostError } from '../store/checkpoint.ts';
import { fileMetadata } from './file-metadata.ts';
import { type FileVersion, type InboxDecision, InboxMarks } from './inbox-marks.ts';
import { CopyPendingError, moveFile, removeFile } from './inbox-move.ts';
import { FileChangedError, type SubmitFileDeps, submitFile } from './inbox-submit.ts';
import { type RejectFileDeps, rejectFile } from './reject-file.ts';

/** No file is begun after this long: the function must end within its timeout. */
const MAX_COLLECT_MS = 5 * 60_000;
/**
 * Reading ends after this long, with a checkpoint for the next look. Of the ten minutes that `functionTimeout` (host.json)
 * gives, two and a half are left for the calls under way: a block and the checkpoint, each tried for a minute at most
 * (storage/retry-limits.ts), and ten seconds for a copy.
 */
const MAX_READ_MS = 7.5 * 60_000;
/**
 * Files that are taken side by side: about 30 MiB of memory each, so 180 MiB for both kinds, beside 16 uploads over HTTP. More
 * would not be faster, as all are parsed by the main thread: a few keep it busy while others wait for storage. Large files
 * have slots of their own, so that they can never take all.
 */
const SMALL_AT_ONCE = 4;
const LARGE_AT_ONCE = 2;
/** Size as stored; a smaller file takes a second or two. */
const LARGE_BYTES = 32 * 1024 * 1024;
/** Large files that one look keeps for a free slot; the next look finds the others. */
const MAX_LARGE = 1_000;
/** Stuck files that one look logs one by one; all of them are counted. */
const MAX_STUCK_LINES = 20;

export type InboxDeps = SubmitFileDeps & RejectFileDeps & ImportDeps;

/** The outcome of one look into the inbox. */
export interface InboxResult {
  accepted: number;
  rejected: number;
  /** Files that a passing fault kept from being taken or moved; they are looked at again next time. */
  deferred: number;
  /** Large files that are not read to their end yet: the next look goes on. */
  unfinished: number;
  /** Files that stay until an operator acts: they cannot be read, or were taken and cannot be moved away. */
  stuck: number;
}

interface Look {
  inbox: ContainerClient;
  marks: InboxMarks;
  result: InboxResult;
  /** Aborts when reading has to end. */
  signal: AbortSignal;
  /** Service time after which no file is begun. */
  untilMs: number;
  complete: boolean;
}

/** Takes the files of the inbox, several side by side. An empty inbox costs one operation. */
export async function collectInbox(deps: InboxDeps): Promise<InboxResult> {
  const reading = new AbortController();
  const timer = setTimeout(() => reading.abort(), MAX_READ_MS);
  const look: Look = {
    inbox: deps.container(CONTAINERS.inbox),
    marks: new InboxMarks(deps.keys),
    result: { accepted: 0, rejected: 0, deferred: 0, unfinished: 0, stuck: 0 },
    signal: reading.signal,
    untilMs: deps.gate.now() + MAX_COLLECT_MS,
    complete: true,
  };
  try {
    const files = await takeFiles(deps, look);
    if (look.complete) await look.marks.forgetOthers((name) => !isForeignPool(deps, name));
    if (files > 0) log.info('inbox-collected', { ...look.result });
    return look.result;
  } finally {
    clearTimeout(timer);
  }
}

/** Takes the files and returns how many there were. The listing waits while all slots for small files are taken. */
async function takeFiles(deps: InboxDeps, look: Look): Promise<number> {
  const [small, large] = [createSlots(SMALL_AT_ONCE), createSlots(LARGE_AT_ONCE)];
  const taking = new Set<Promise<void>>();
  let files = 0;
  try {
    for await (const file of look.inbox.listBlobsFlat({ includeMetadata: true })) {
      if (isOver(deps, look)) break;
      if (isForeignPool(deps, file.name)) continue;
      files += 1;
      const slots = isImport(file.name) || (file.properties.contentLength ?? 0) > LARGE_BYTES ? large : small;
      if (slots.waiting >= MAX_LARGE) look.complete = false;
      else {
        const taken = slots.run(() => takeNext(deps, look, file)).finally(() => taking.delete(taken));
        taking.add(taken);
      }
      while (small.waiting > 0) await Promise.race(taking);
    }
  } finally {
    await Promise.all(taking);
  }
  return files;
}

async function takeNext(deps: InboxDeps, look: Look, file: BlobItem): Promise<void> {
  if (!isOver(deps, look)) look.result[await takeFile(deps, look, file)] += 1;
}

/** Whether no further file is begun in this look. */
function isOver({ gate }: InboxDeps, look: Look): boolean {
  if (gate.now() > look.untilMs) look.complete = false;
  return !look.complete;
}

/** With several pools, each takes its own workloads' files; what names no workload at all is rejected by any. */
function isForeignPool({ registry, settings }: InboxDeps, name: string): boolean {
  const workload = registry.workload(name.split('/')[0] ?? '');
  return workload !== undefined && settings.pool !== undefined && workload.pool !== settings.pool;
}

/** Never throws: what goes wrong with one file must not keep the ones behind it. */
async function takeFile(deps: InboxDeps, look: Look, file: BlobItem): Promise<keyof InboxResult> {
  const version = { name: file.name, etag: file.properties.etag };
  let decision: InboxDecision | undefined;
  let marked = false;
  try {
    const fault = blobNameFault(file.name);
    if (fault !== undefined) throw new Error(`Its name ${fault}: the client would address another blob.`);
    decision = await look.marks.find(version);
    marked = decision !== undefined;
    if (!decision) {
      const decided = await decide(deps, look, file);
      if ('imported' in decided) return await takeFile(deps, look, decided.imported);
      decision = decided;
    }
    await finish(deps, version, { decision, marked, metadata: file.metadata });
    return 'batch' in decision ? 'accepted' : 'rejected';
  } catch (error) {
    if (decision && !marked) await keepMark(look, version, decision);
    return leave(look, { file: file.name, ...decision, error: toError(error) });
  }
}

interface Decided {
  decision: InboxDecision;
  /** It was decided at an earlier look. */
  marked: boolean;
  /** Of the file. */
  metadata: BlobItem['metadata'] | undefined;
}

/** Moves a file. Once its batch is deleted no copy is made: deleting a batch removes it from inbox-done. */
async function finish(deps: InboxDeps, file: FileVersion, { decision, marked, metadata }: Decided): Promise<void> {
  if (marked && 'batch' in decision && !(await readBatch(deps.table, decision.batch))) await removeFile(deps, file);
  else await moveFile(deps, { file, repeated: marked, ...destinationOf(decision, metadata) });
}

/** A rejected file keeps what its writer said about it, for when it is retried. */
const destinationOf = (
  decision: InboxDecision,
  metadata: Decided['metadata'],
): { to: string; metadata: Record<string, string> } =>
  'batch' in decision
    ? { to: CONTAINERS.inboxDone, metadata: { batch: decision.batch } }
    : { to: CONTAINERS.inboxRejected, metadata: fileMetadata(metadata) };

/** Until the mark is written, the idempotency key keeps the file from becoming another batch. */
async function keepMark({ marks }: Look, version: FileVersion, decision: InboxDecision): Promise<void> {
  try {
    await marks.add(version, decision);
  } catch (error) {
    log.warn('inbox-not-marked', { file: version.name, error: toError(error) });
  }
}

function leave({ result, signal }: Look, fields: { file: string; error: Error }): 'deferred' | 'unfinished' | 'stuck' {
  if (signal.aborted && isOutage(fields.error)) {
    log.info('inbox-unfinished', { file: fields.file });
    return 'unfinished';
  }
  if (isPassing(fields.error)) {
    log.warn('inbox-deferred', fields);
    return 'deferred';
  }
  if (result.stuck < MAX_STUCK_LINES) log.error('inbox-stuck', { ...fields, code: errorCodeOf(fields.error) });
  return 'stuck';
}

const isPassing = (error: Error): boolean =>
  isOutage(error) ||
  error instanceof CopyPendingError ||
  error instanceof CheckpointLostError ||
  error instanceof FileChangedError ||
  (error instanceof Problem && isPassingProblem(error));

const isPassingProblem = ({ type }: Problem): boolean => type === 'upload-in-progress' || type === 'busy';

/**
 * Makes a batch of a file, or the file that its address leads to, or writes why it is rejected. Throws whatever else keeps
 * it from being judged.
 */
async function decide(deps: InboxDeps, look: Look, file: BlobItem): Promise<InboxDecision | { imported: BlobItem }> {
  try {
    if (isImport(file.name)) return { imported: await importFile(deps, file, look.signal) };
    const submitted = await submitFile(deps, look, file);
    if (submitted.sameContentAs !== undefined) log.warn('inbox-repeated', { file: file.name, ...submitted });
    return { batch: submitted.batch };
  } catch (error) {
    if (!(error instanceof Problem) || isPassingProblem(error)) throw error;
    await rejectFile(deps, { name: file.name, etag: file.properties.etag }, error);
    return { rejected: true };
  }
}
