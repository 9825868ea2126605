/** Corrections that were typed and not sent. They outlive dialogs, pages and what others do to the batch. */
import { effect, signal } from '@preact/signals';
import { key } from '../../../api/http/key.ts';
import type { DeadLetter } from '../../../api/types.ts';

/** A correction of one dead letter. */
export interface Draft {
  batch: string;
  letter: DeadLetter;
  text: string;
}

const drafts = signal<readonly Draft[]>([]);

const isOf =
  (batch: string, index: number) =>
  (draft: Draft): boolean =>
    draft.batch === batch && draft.letter.index === index;

/** The corrections of a batch, oldest first; subscribes who draws. */
export const draftsOf = (batch: string): readonly Draft[] => drafts.value.filter((draft) => draft.batch === batch);

/** The correction of an item; subscribes who draws. */
export const draftOf = (batch: string, index: number): Draft | undefined => drafts.value.find(isOf(batch, index));

/** Keeps a correction in place of the one before. */
export function keepDraft(draft: Draft): void {
  const isSame = isOf(draft.batch, draft.letter.index);
  drafts.value = drafts.peek().some(isSame)
    ? drafts.peek().map((each) => (isSame(each) ? draft : each))
    : [...drafts.peek(), draft];
}

/** Forgets corrections: of items that were redriven or discarded, or whose correction is not wanted any more. */
export function dropDrafts(batch: string, isMeant: (letter: DeadLetter) => boolean): void {
  drafts.value = drafts.peek().filter((draft) => draft.batch !== batch || !isMeant(draft.letter));
}

// Whoever comes with another key begins anew.
key.subscribe((kept) => {
  if (kept === '') drafts.value = [];
});

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

effect(() => {
  if (drafts.value.length > 0) addEventListener('beforeunload', warn);
  else removeEventListener('beforeunload', warn);
});
