/**
 * Redrives a finished batch: its dead letters run again or are discarded, or only its report is created again, in a new
 * revision of the same batch. The order of writes is the crash protocol: selection → row `open` → one transaction
 * (acceptance) → references → wake → `queued`; for a discard and the report alone, acceptance → report → end. A crash
 * before the transaction has no effect, and the same key starts again; after it the sweep continues.
 */
import { type BatchRow, isFinished } from '../../batches/batch-row.ts';
import { withoutCauses } from '../../batches/causes.ts';
import { openRevision, requireBatch, rowOf } from '../../batches/ledger.ts';
import { indexBatch } from '../../batches/listing/index-rows.ts';
import { writeOpenRow } from '../../batches/listing/open-rows.ts';
import { cleaningUp } from '../../batches/remove-batch.ts';
import { nextRevision } from '../../batches/revisions.ts';
import { digestOf } from '../../contract/frame.ts';
import { CONTAINERS } from '../../contract/names.ts';
import { BatchGoneError, Problem, toError } from '../../errors.ts';
import { enterQueues } from '../../intake/continue-intake.ts';
import { announce } from '../../results/announce.ts';
import { type FinalizeDeps, finalize, requireWorkload } from '../../results/finalize.ts';
import { LOST_RACE, retryLostRace } from '../../storage/lost-race.ts';
import { log } from '../../telemetry/log.ts';
import { appliedBlob } from './current-dead.ts';
import {
  isDiscard,
  isReportAlone,
  type Redrive,
  readRedrive,
  redriveBlobName,
  type StoredRedrive,
} from './redrive-blob.ts';
import { continueEnqueueing, rowsOfRedrive } from './revision-rows.ts';
import type { Selection } from './select.ts';
import { dropStale, storeSelection } from './store-selection.ts';

export interface RedriveRequest {
  batch: string;
  /** Of two requests with the same key, one takes effect. */
  key: string;
  selection: Selection;
}

/** The result of a redrive or a discard, also of a repeat of its key. `redriven` is the number of dead letters that it took. */
export interface RedriveAnswer {
  batch: string;
  revision: number;
  redriven: number;
  unreadable: number;
  chunks: number;
  at: string;
}

/** Chunk ids contain the revision with four digits. */
const MAX_REVISION = 9_999;

/**
 * Redrives dead letters or the report alone, or discards dead letters.
 * @throws Problem 'not-found'; 'conflict' if the batch is not finished or there is nothing to redrive;
 * 'idempotency-mismatch' if the key was used for another request.
 */
export function redrive(deps: FinalizeDeps, request: RedriveRequest): Promise<RedriveAnswer> {
  const blob = redriveBlobName(request.batch, request.key);
  const digest = digestOf(Buffer.from(JSON.stringify(request.selection)));
  const batch: { id: string; workload?: string } = { id: request.batch };
  const attempt = async (): Promise<RedriveAnswer | typeof LOST_RACE> => {
    const { row } = await requireBatch(deps.table, request.batch);
    batch.workload = row.workload;
    const stored = await readRedrive(deps.container(CONTAINERS.redrives), blob);
    if (stored && stored.redrive.request !== digest) throw mismatch();
    if (stored && (await isApplied(deps, row, stored))) return repeat(deps, row, stored);
    requireFinished(row);
    if (stored && stored.redrive.revision <= row.revision) await dropStale(deps, stored);
    else if (stored) return accept(deps, row, stored);
    else await storeSelection(deps, row, { blob, digest, selection: request.selection });
    // Not a lost race: the loop reads the row and the stored selection again, and then accepts. If the batch was deleted
    // while the selection was created, it finds that here.
    return LOST_RACE;
  };
  return cleaningUp(deps, batch, () => retryLostRace(`redrive of batch ${request.batch}`, attempt));
}

function requireFinished({ id, state, revision }: BatchRow): void {
  if (state === 'paused')
    throw new Problem(
      'conflict',
      `Batch ${id} is paused; resume or cancel it: its dead letters can be redriven or discarded once it is finished.`,
    );
  if (!isFinished(state))
    throw new Problem(
      'conflict',
      `Batch ${id} is ${state}; its dead letters can be redriven or discarded once it is finished.`,
    );
  if (revision >= MAX_REVISION)
    throw new Problem('conflict', `Batch ${id} has had ${MAX_REVISION} redrives and discards, which is the maximum.`);
}

const mismatch = (): Problem =>
  new Problem(
    'idempotency-mismatch',
    'This idempotency key was used before, for another redrive or discard of this batch.',
  );

const isApplied = async (deps: FinalizeDeps, row: BatchRow, { blob, redrive }: StoredRedrive): Promise<boolean> =>
  redrive.revision <= row.revision && (await appliedBlob(deps.table, row, redrive.revision)) === blob;

async function repeat(deps: FinalizeDeps, row: BatchRow, stored: StoredRedrive): Promise<RedriveAnswer> {
  if (row.revision !== stored.redrive.revision) return answerOf(stored);
  if (row.state === 'enqueueing') await continueEnqueueing(deps, row);
  else if (endsImmediately(stored.redrive)) await finalize(deps, row.id);
  return answerOf(stored);
}

async function accept(deps: FinalizeDeps, row: BatchRow, stored: StoredRedrive): Promise<RedriveAnswer> {
  // The end of the last revision must have been published first: after the next revision is open, the sweep no longer checks that end.
  await announce(deps, row);
  await writeOpenRow(deps.table, opening(deps, row, stored));
  const { row: opened, fresh } = await open(deps, stored);
  if (!fresh) return repeat(deps, opened, stored);
  const accepted = { workload: row.workload, ...answerOf(stored) };
  if (isDiscard(stored.redrive)) log.info('discard-accepted', accepted);
  else log.info('redrive-accepted', accepted);
  try {
    await indexBatch(deps.table, opened);
    if (endsImmediately(stored.redrive)) await finalize(deps, opened.id);
    else await enterQueues(deps, opened, { rows: (first) => rowsOfRedrive(opened, stored, first), isBegun: true });
  } catch (error) {
    if (error instanceof BatchGoneError) throw error;
    log.error('redrive-unfinished', { batch: row.id, error: toError(error) });
  }
  return answerOf(stored);
}

/** Runs the transaction that opens the revision, with its first rows: it decides between two redrives. */
const open = (deps: FinalizeDeps, stored: StoredRedrive): Promise<{ row: BatchRow; fresh: boolean }> =>
  retryLostRace(rowOf(stored.redrive.batch), async () => {
    const found = await requireBatch(deps.table, stored.redrive.batch);
    if (await isApplied(deps, found.row, stored)) return { row: found.row, fresh: false };
    requireFinished(found.row);
    if (found.row.revision !== stored.redrive.revision - 1)
      throw new Problem(
        'conflict',
        `Batch ${found.row.id} was redriven in the meantime, with another idempotency key.`,
      );
    const next = opening(deps, found.row, stored);
    const opened = await openRevision(deps.table, { ...found, next, chunks: rowsOfRedrive(next, stored) });
    return opened ? { row: next, fresh: true } : LOST_RACE;
  });

function opening(deps: FinalizeDeps, row: BatchRow, stored: StoredRedrive): BatchRow {
  const { redrive } = stored;
  const { deadlineSeconds } = requireWorkload(deps, row);
  const nowMs = deps.gate.now();
  const openedAt = new Date(nowMs).toISOString();
  const deadlineAt = new Date(nowMs + deadlineSeconds * 1000).toISOString();
  const { items } = redrive;
  return {
    ...row,
    state: 'enqueueing',
    ...nextRevision(row, { items, openedAt, deadlineAt }),
    dead: row.dead - items,
    causes: withoutCauses(row.causes, redrive.causes ?? {}),
    chunksTotal: row.chunksTotal + redrive.chunks,
    announced: false,
    cancellingAt: undefined,
    haltFrom: { succeeded: row.succeeded, dead: row.dead - items },
    ...(isReportAlone(redrive)
      ? { state: 'running', reportRedrives: { ...row.reportRedrives, [redrive.revision]: stored.blob } }
      : {}),
    // Its items and chunks end at the same time.
    ...(isDiscard(redrive)
      ? {
          ...{ state: 'running', discardReason: redrive.reason, discarded: row.discarded + items },
          chunksDone: row.chunksDone + redrive.chunks,
        }
      : {}),
  };
}

/** Whether a redrive puts nothing into a queue: only the report has to be created. */
const endsImmediately = (redrive: Redrive): boolean => isReportAlone(redrive) || isDiscard(redrive);

const answerOf = ({ redrive }: StoredRedrive): RedriveAnswer => ({
  batch: redrive.batch,
  revision: redrive.revision,
  redriven: redrive.items,
  unreadable: redrive.unreadable,
  chunks: redrive.chunks,
  at: redrive.at,
});
