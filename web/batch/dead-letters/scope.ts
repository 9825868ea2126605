import type { LetterChoice } from '../../api/redrive-body.ts';
import type { DeadLetter } from '../../api/types.ts';

/** Dead letters of one batch that something is done to. */
export interface Scope {
  choice: LetterChoice;
  count: number;
  /** Those of them that this page has read. */
  letters: readonly DeadLetter[];
  /** Their cause, in words, if it is one. */
  title?: string;
}

/** What somebody has asked for, and the dialog that asks back. */
export type Asked =
  | { kind: 'edit'; letter: DeadLetter }
  | { kind: 'redrive'; scope: Scope; isCorrecting?: boolean }
  | { kind: 'discard'; scope: Scope };
