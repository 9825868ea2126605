/**
 * Corrections that were typed but not sent. They outlive dialogs, pages, and changes of the batch by other operators.
 */
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

/** Returns the corrections of a batch, oldest first, and subscribes the calling component. */
export const draftsOf = (batch: string): readonly Draft[] => drafts.value.filter((draft) => draft.batch === batch);

/** Returns the correction of an item, and subscribes the calling component. */
export const draftOf = (batch: string, index: number): Draft | undefined => drafts.value.find(isOf(batch, index));

/** Stores a correction and replaces the previous one. */
export function keepDraft(draft: Draft): void {
  const isSame = isOf(draft.batch, draft.letter.index);
  drafts.value = drafts.peek().some(isSame)
    ? drafts.peek().map((each) => (isSame(each) ? draft : each))
    : [...drafts.peek(), draft];
}

/** Deletes the corrections of items that were redriven or discarded, or corrections that are no longer wanted. */
export function dropDrafts(batch: string, isMeant: (letter: DeadLetter) => boolean): void {
  drafts.value = drafts.peek().filter((draft) => draft.batch !== batch || !isMeant(draft.letter));
}

// Another key starts without corrections.
key.subscribe((kept) => {
  if (kept === '') drafts.value = [];
});

const warn = (event: BeforeUnloadEvent): void => event.preventDefault();

effect(() => {
  if (drafts.value.length > 0) addEventListener('beforeunload', warn);
  else removeEventListener('beforeunload', warn);
});
