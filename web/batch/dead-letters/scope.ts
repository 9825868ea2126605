import type { LetterChoice } from '../../api/dead-letters.ts';
import type { DeadLetter } from '../../api/types.ts';

/** Dead letters of one batch that an action applies to. */
export interface Scope {
  choice: LetterChoice;
  count: number;
  /** Those that this page has loaded. */
  letters: readonly DeadLetter[];
  /** Their cause as text, if they have one cause. */
  title?: string;
}

/** An action that the user chose; its dialog confirms it. */
export type Asked =
  | { kind: 'edit'; letter: DeadLetter }
  | { kind: 'redrive'; scope: Scope }
  | { kind: 'discard'; scope: Scope };
