/**
 * Discards dead letters: a revision whose items have ended when it opens. Its selection is stored like that of a
 * redrive, but nothing runs: the transaction that opens the revision moves the items from `dead` to `discarded`, and
 * inserts one chunk row that is done. `finalize` follows immediately, as for a redrive of the report alone.
 */
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { digestOf } from '../../contract/frame.ts';
import { storableLine } from '../../contract/text/text.ts';
import { Problem } from '../../errors.ts';
import { Turns } from '../../turns.ts';
import { currentDeadLetters, type DeadLetterDeps } from './current-dead.ts';
import { ItemSet } from './item-set.ts';
import { placesOf } from './redrive-frames.ts';
import { choiceOf, NamedCauses, type Selected, type SelectOptions } from './select.ts';

const MAX_REASON_CHARS = 200;

/** Returns a reason in the form that rows and selections store. */
export const discardReason = (text: string): string => storableLine(text, MAX_REASON_CHARS);

/**
 * Reads the current dead letters, and selects those of the request, including those whose item cannot be read.
 * @throws Problem 'conflict' if an item of the request is no dead letter, or none matches.
 */
export async function selectToDiscard(
  deps: DeadLetterDeps,
  { batch, selection, isOver }: Pick<SelectOptions, 'batch' | 'selection' | 'isOver'>,
): Promise<Selected> {
  const choice = choiceOf(selection);
  const taken = new ItemSet();
  const causes = new NamedCauses(batch);
  const turns = new Turns();
  for await (const { item } of currentDeadLetters(deps, batch, isOver)) {
    await turns.next();
    if (!choice.takes(item)) continue;
    taken.add(item.index);
    causes.add(item);
  }
  choice.requireAllTaken();
  const places = await placesOf(taken);
  const { items } = places;
  if (items === 0)
    throw new Problem('conflict', `Batch ${batch.id} has no dead letters to discard that match the request.`);
  const chunk = { offset: 0, length: 0, bytes: 0, digest: digestOf(Buffer.alloc(0)), ...places };
  return { frames: [], chunks: [chunk], items, bytes: 0, unreadable: 0, causes: causes.counts };
}

/** Creates the row of a chunk of a discard; it is done, and no worker or collector processes it. */
export const discarded = ({ dueAt: _dueAt, ...row }: ChunkRow, doneAt: string): ChunkRow => {
  const { items } = row;
  const counts = { items, succeeded: 0, dead: 0, discarded: items, cancelled: 0, retried: 0 };
  return { ...row, state: 'done', header: { v: 1, ending: 'discarded', counts, handlerSeconds: 0 }, doneAt };
};
