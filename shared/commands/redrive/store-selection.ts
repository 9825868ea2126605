import type { BatchRow } from '../../batches/batch-row.ts';
import { CONTAINERS } from '../../contract/names.ts';
import { Problem, unlessStatus } from '../../errors.ts';
import { type FinalizeDeps, requireWorkload } from '../../results/finalize.ts';
import { discardReason, selectToDiscard } from './discard.ts';
import { encodeChunks, type StoredRedrive, writeRedrive } from './redrive-blob.ts';
import { type Selected, type Selection, type SelectOptions, select } from './select.ts';

/**
 * Deletes a selection that can never be accepted, because another redrive took its revision. The selection is then
 * created again.
 */
export async function dropStale(deps: FinalizeDeps, { blob, etag }: StoredRedrive): Promise<void> {
  const container = deps.container(CONTAINERS.redrives);
  await unlessStatus([404, 412], container.deleteBlob(blob, { conditions: { ifMatch: etag } }));
}

/**
 * Maximum time to read the dead letters of a selection, at about a thousand chunks per second. The platform's front end cuts a
 * request after 230 s; without a limit, the work would continue without its client.
 */
const SELECTION_MS = 120_000;

interface Storing {
  blob: string;
  digest: string;
  selection: Selection;
}

/**
 * Selects by the rows of the finished batch, which do not change before the next revision, and stores the selection
 * create-only.
 */
export async function storeSelection(
  deps: FinalizeDeps,
  batch: BatchRow,
  { blob, digest, selection }: Storing,
): Promise<void> {
  const nowMs = deps.gate.now();
  const workload = requireWorkload(deps, batch);
  const isOver = (): boolean => deps.gate.now() >= nowMs + SELECTION_MS;
  const options = { batch, workload, selection, nowMs, isOver };
  const { frames, chunks, items, unreadable, causes } = await selectedBy(deps, options);
  const redrive = {
    v: 2 as const,
    batch: batch.id,
    revision: batch.revision + 1,
    version: workload.version,
    request: digest,
    at: new Date(nowMs).toISOString(),
    unreadable,
    causes,
    ...(selection.discard === undefined ? {} : { reason: discardReason(selection.discard) }),
    items,
    chunks: chunks.length,
    entries: await encodeChunks(chunks),
  };
  await writeRedrive(deps.container(CONTAINERS.redrives), blob, { redrive, frames });
}

function selectedBy(deps: FinalizeDeps, options: SelectOptions): Selected | Promise<Selected> {
  if (options.selection.report) return noItems(options.batch);
  return options.selection.discard === undefined ? deadLetters(deps, options) : selectToDiscard(deps, options);
}

async function deadLetters(deps: FinalizeDeps, options: SelectOptions): Promise<Selected> {
  const selected = await select(deps, options);
  if (selected.chunks.length > 0) return selected;
  const { unreadable } = selected;
  const left =
    unreadable === 0
      ? ''
      : ` The items of ${unreadable} dead letters can no longer be read; send them as corrected items.`;
  throw new Problem(
    'conflict',
    `Batch ${options.batch.id} has no dead letters to redrive that match the request.${left}`,
  );
}

/**
 * Each needs about 120 characters in the batch row, whose columns hold 32,768. Source: Microsoft Learn, understanding
 * the table model.
 */
const MAX_REPORT_REDRIVES = 100;

/**
 * Creates the selection of a redrive of the report alone.
 * @throws Problem 'conflict' unless the finished batch has no report of its newest revision.
 */
function noItems(batch: BatchRow): Selected {
  const { id, state, reportProblem, reportRedrives = {} } = batch;
  if (reportProblem === undefined)
    throw new Problem('conflict', `Batch ${id} is ${state}; only a report that failed can be redriven.`);
  if (Object.keys(reportRedrives).length >= MAX_REPORT_REDRIVES)
    throw new Problem(
      'conflict',
      `The report of batch ${id} has been redriven ${MAX_REPORT_REDRIVES} times, which is the maximum.`,
    );
  return { frames: [], chunks: [], items: 0, bytes: 0, unreadable: 0, causes: {} };
}
