/**
 * The discard of dead letters: a revision whose items have ended as it opens. Its selection is stored as that of any
 * redrive, but nothing of it runs: the transaction that opens the revision takes them from `dead` to `discarded`, and
 * inserts one chunk row that is done. `finalize` follows at once, as for a redrive of the report alone.
 */
import type { BatchRow } from '../../batches/batch-row.ts';
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { digestOf } from '../../contract/frame.ts';
import { storableLine } from '../../contract/text/text.ts';
import { Problem } from '../../errors.ts';
import { currentDeadLetters, type DeadLetterDeps } from './current-dead.ts';
import { NamedCauses } from './named-causes.ts';
import { redrivenItems, type StoredRedrive, toRuns } from './redrive-blob.ts';
import { choiceOf, type Selected, type Selection } from './select.ts';

const MAX_REASON_CHARS = 200;

/** A reason as rows and selections keep it. */
export const discardReason = (text: string): string => storableLine(text, MAX_REASON_CHARS);

/**
 * Reads the current dead letters, and selects those that are meant: also those whose item nobody can read.
 * @throws Problem 'conflict' when a named item is no dead letter, or none is meant.
 */
export async function selectToDiscard(
  deps: DeadLetterDeps,
  { batch, selection }: { batch: BatchRow; selection: Selection },
): Promise<Selected> {
  const choice = choiceOf(selection);
  const indices: number[] = [];
  const causes = new NamedCauses(batch);
  for await (const { item } of currentDeadLetters(deps, batch)) {
    if (!choice.takes(item)) continue;
    indices.push(item.index);
    causes.add(item);
  }
  choice.requireAllTaken();
  const items = indices.length;
  if (items === 0)
    throw new Problem('conflict', `Batch ${batch.id} has no dead letters to discard that fit the request.`);
  const runs = toRuns(indices.sort((a, b) => a - b));
  const chunk = { offset: 0, length: 0, bytes: 0, items, digest: digestOf(Buffer.alloc(0)), runs };
  return { frames: [], chunks: [chunk], items, bytes: 0, unreadable: 0, causes: causes.counts };
}

/** What else changes when a discard opens its revision: its items and chunks have ended with that. */
export const discarding = (row: BatchRow, { redrive }: StoredRedrive): Partial<BatchRow> => ({
  state: 'running',
  discardReason: redrive.reason,
  discarded: row.discarded + redrivenItems(redrive),
  chunksDone: row.chunksDone + redrive.chunks.length,
});

/** The row of a chunk of a discard: no worker or collector has anything to do with it. */
export const discarded = ({ dueAt: _dueAt, ...row }: ChunkRow, doneAt: string): ChunkRow => {
  const { items } = row;
  const counts = { items, succeeded: 0, dead: 0, discarded: items, cancelled: 0, retried: 0 };
  return { ...row, state: 'done', header: { v: 1, ending: 'discarded', counts, handlerSeconds: 0 }, doneAt };
};
