/** Takes one file of the inbox: creates a batch from it or rejects it, then moves it away. */
import type { BlobItem } from '@azure/storage-blob';
import { readBatch } from '../../batches/ledger.ts';
import { CONTAINERS } from '../../contract/names.ts';
import { blobNameFault } from '../../contract/text/blob-name.ts';
import { BatchGoneError, isOutage, Problem, toError } from '../../errors.ts';
import { log } from '../../telemetry/log.ts';
import { CheckpointLostError } from '../store/checkpoint.ts';
import { SuspectUploadError } from '../submit.ts';
import { fileMetadata } from '../upload-options.ts';
import type { InboxDeps, Taking } from './inbox-deps.ts';
import type { FileVersion, InboxDecision } from './inbox-marks.ts';
import { CopyPendingError, moveFile, removeFile } from './inbox-move.ts';
import { FileChangedError, submitFile } from './inbox-submit.ts';
import { rejectFile } from './rejection-reason.ts';

/**
 * How taking a file ended. `deferred`: a transient fault prevented reading or moving it. `unfinished`: it is not completely
 * read yet, and the next attempt continues. `stuck`: it stays until an operator acts, because it cannot be read, or was
 * taken and cannot be moved. `suspect`: reading it has probably ended a process twice, and it must be taken again with
 * `isAlone`.
 */
export type FileEnd =
  | { end: 'accepted' | 'rejected' | 'deferred' | 'unfinished' | 'suspect' }
  | { end: 'stuck'; error: Error; decision: InboxDecision | undefined };

/**
 * Takes one file: creates a batch from it or rejects it, and moves it away. A repeat at any point results in the same
 * batch. Never throws, because a problem with one file must not affect the files after it.
 */
export async function takeFile(deps: InboxDeps, taking: Taking, file: BlobItem): Promise<FileEnd> {
  const version = { name: file.name, etag: file.properties.etag };
  let decision: InboxDecision | undefined;
  let marked = false;
  try {
    const fault = blobNameFault(file.name);
    if (fault !== undefined) throw new Error(`Its name ${fault}: the storage client would resolve it to another blob.`);
    decision = await taking.marks.find(version);
    marked = decision !== undefined;
    decision ??= await decide(deps, taking, file);
    await removeFromInbox(deps, file, { decision, marked });
    return { end: 'batch' in decision ? 'accepted' : 'rejected' };
  } catch (error) {
    if (error instanceof SuspectUploadError) return { end: 'suspect' };
    if (decision && !marked) await keepMark(taking, version, decision);
    return leave(taking, { file: file.name, decision, error: toError(error) });
  }
}

/**
 * Moves a file; if its batch was deleted, deletes it without a copy, as deleting a batch does in inbox-done. A rejected file
 * keeps the metadata of its writer, in case it is retried. `marked`: the decision is from an earlier scan.
 */
async function removeFromInbox(
  deps: InboxDeps,
  { name, properties: { etag }, metadata }: BlobItem,
  { decision, marked }: { decision: InboxDecision; marked: boolean },
): Promise<void> {
  const file = { name, etag };
  if (marked && 'batch' in decision && !(await readBatch(deps.table, decision.batch))) return removeFile(deps, file);
  const target =
    'batch' in decision
      ? { to: CONTAINERS.inboxDone, metadata: { batch: decision.batch } }
      : { to: CONTAINERS.inboxRejected, metadata: fileMetadata(metadata) };
  await moveFile(deps, { file, repeated: marked, ...target });
}

/** Stores the decision. Until the mark is written, the idempotency key prevents the file from becoming another batch. */
async function keepMark({ marks }: Taking, version: FileVersion, decision: InboxDecision): Promise<void> {
  try {
    await marks.add(version, decision);
  } catch (error) {
    log.warn('inbox-not-marked', { file: version.name, error: toError(error) });
  }
}

function leave({ signal }: Taking, left: { file: string; decision: InboxDecision | undefined; error: Error }): FileEnd {
  const { file, decision, error } = left;
  // The reason of a time limit is not an AbortError. It is thrown unchanged if nothing was read yet.
  if (signal.aborted && (error === signal.reason || isOutage(error))) {
    log.info('inbox-unfinished', { file });
    return { end: 'unfinished' };
  }
  if (!isPassing(error)) return { end: 'stuck', error, decision };
  log.warn('inbox-deferred', { file, ...decision, error });
  return { end: 'deferred' };
}

const isPassing = (error: Error): boolean =>
  isOutage(error) ||
  error instanceof CopyPendingError ||
  error instanceof CheckpointLostError ||
  error instanceof FileChangedError ||
  (error instanceof Problem && isPassingProblem(error));

/** If the batch of the file was deleted meanwhile, so was the file. */
const isPassingProblem = (problem: Problem): boolean =>
  problem instanceof BatchGoneError || problem.type === 'upload-in-progress' || problem.type === 'busy';

/** Creates a batch from a file, or stores why it is rejected. Throws any other error that prevents a decision. */
async function decide(deps: InboxDeps, taking: Taking, file: BlobItem): Promise<InboxDecision> {
  try {
    return { batch: await submitFile(deps, taking, file) };
  } catch (error) {
    if (!(error instanceof Problem) || isPassingProblem(error)) throw error;
    await rejectFile(deps, { name: file.name, etag: file.properties.etag }, error);
    return { rejected: true };
  }
}
