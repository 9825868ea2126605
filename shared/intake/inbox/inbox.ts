/**
 * The inbox: a file dropped at `inbox/<workload>/[<lane>/]<name>` becomes a batch and moves to `inbox-done`, or to
 * `inbox-rejected` with the reason beside it. A crash at any point repeats with the same idempotency key. A file that
 * cannot be read, judged or moved stays, is logged and counted, and keeps none behind it from being taken.
 */
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { readBatch } from '../../batches/ledger.ts';
import { blobNameFault } from '../../contract/blob-name.ts';
import { CONTAINERS } from '../../contract/names.ts';
import { errorCodeOf, isOutage, Problem, toError } from '../../errors.ts';
import { log } from '../../telemetry/log.ts';
import { type ImportDeps, importFile, isImport } from '../import/import-file.ts';
import { fileMetadata } from './file-metadata.ts';
import { type FileVersion, type InboxDecision, InboxMarks } from './inbox-marks.ts';
import { CopyPendingError, moveFile, removeFile } from './inbox-move.ts';
import { FileChangedError, type SubmitFileDeps, submitFile } from './inbox-submit.ts';
import { type RejectFileDeps, rejectFile } from './reject-file.ts';

/** No file is begun after this long: the function must end within its timeout. */
const MAX_COLLECT_MS = 5 * 60_000;
/** Stuck files that one look logs one by one; all of them are counted. */
const MAX_STUCK_LINES = 20;

export type InboxDeps = SubmitFileDeps & RejectFileDeps & ImportDeps;

/** What one look into the inbox came to. */
export interface InboxResult {
  accepted: number;
  rejected: number;
  /** Files that a passing fault kept from being taken or moved; they are looked at again next time. */
  deferred: number;
  /** Files that stay until an operator acts: they cannot be read, or were taken and cannot be moved away. */
  stuck: number;
}

interface Look {
  inbox: ContainerClient;
  marks: InboxMarks;
  result: InboxResult;
}

/** Takes the files of the inbox, one after another. An empty inbox costs one operation. */
export async function collectInbox(deps: InboxDeps): Promise<InboxResult> {
  const result: InboxResult = { accepted: 0, rejected: 0, deferred: 0, stuck: 0 };
  const look = { inbox: deps.container(CONTAINERS.inbox), marks: new InboxMarks(deps.keys), result };
  const start = deps.gate.now();
  let files = 0;
  let complete = true;
  for await (const file of look.inbox.listBlobsFlat({ includeMetadata: true })) {
    complete = deps.gate.now() - start <= MAX_COLLECT_MS;
    if (!complete) break;
    if (isForeignPool(deps, file.name)) continue;
    files += 1;
    result[await takeFile(deps, look, file)] += 1;
  }
  if (complete) await look.marks.forgetOthers((name) => !isForeignPool(deps, name));
  if (files > 0) log.info('inbox-collected', { ...result });
  return result;
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

function leave({ result }: Look, fields: { file: string; error: Error }): 'deferred' | 'stuck' {
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
  error instanceof FileChangedError ||
  (error instanceof Problem && isPassingProblem(error));

const isPassingProblem = ({ type }: Problem): boolean => type === 'upload-in-progress' || type === 'busy';

/** Makes a batch of a file, or the file that its address leads to; or writes why it is rejected. Throws whatever else keeps it from being judged. */
async function decide(deps: InboxDeps, look: Look, file: BlobItem): Promise<InboxDecision | { imported: BlobItem }> {
  try {
    if (isImport(file.name)) return { imported: await importFile(deps, file) };
    const submitted = await submitFile(deps, look.inbox, file);
    if (submitted.sameContentAs !== undefined) log.warn('inbox-repeated', { file: file.name, ...submitted });
    return { batch: submitted.batch };
  } catch (error) {
    if (!(error instanceof Problem) || isPassingProblem(error)) throw error;
    await rejectFile(deps, { name: file.name, etag: file.properties.etag }, error);
    return { rejected: true };
  }
}
