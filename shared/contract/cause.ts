import type { DeadReason, ErrorText } from './outcome.ts';

const MAX_CAUSE_CHARS = 200;
/** A handler that puts free text into its messages must not make a cause of every item. */
const MAX_CAUSES = 50;
/** What counts all causes beyond those that are told apart. */
export const OTHER_CAUSES = 'other causes';

/**
 * A quote inside a word ("can't") opens nothing. The name of a field in a path, as in `["Betrag (EUR)"]`, is kept: it shows
 * faults of one column from those of another.
 */
const QUOTED = /(?<=^|; |[\w\]$-])(\["[^"]*"\])|"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g;
const NUMBER = /\d+(?:[.,]\d+)*/g;

/** What groups dead letters: reason, name and message with quoted text and numbers masked, at most 200 characters. */
export function causeOf(reason: DeadReason, { name, message }: ErrorText): string {
  const masked = message
    .slice(0, MAX_CAUSE_CHARS * 2)
    .replace(QUOTED, (_quoted, field?: string) => field ?? '"…"')
    .replace(NUMBER, '#');
  return `${reason}: ${name}: ${masked}`.slice(0, MAX_CAUSE_CHARS);
}

/** Whether `cause`, as `causeOf` made it, is of this reason. */
export const isCauseOf = (reason: DeadReason, cause: string): boolean => cause.startsWith(`${reason}: `);

/** Counts `cause` in `causes`; past 50 different ones it counts as "other causes". */
export function countCause(causes: Map<string, number>, cause: string, n = 1): void {
  const key = causes.has(cause) || causes.size < MAX_CAUSES ? cause : OTHER_CAUSES;
  causes.set(key, (causes.get(key) ?? 0) + n);
}
