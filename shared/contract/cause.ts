import type { DeadReason, ErrorText } from './outcome.ts';

const MAX_CAUSE_CHARS = 200;
/** Without a limit, a handler that puts free text into its messages would create one cause per item. */
const MAX_CAUSES = 50;
/** Counts all causes beyond the first `MAX_CAUSES`. */
export const OTHER_CAUSES = 'other causes';

/**
 * An apostrophe inside a word ("can't") opens no quote. A field name in a path, as in `["Betrag (EUR)"]`, is kept, because it
 * distinguishes the errors of different columns.
 */
const QUOTED = /(?<=^|; |[\w\]$-])(\["[^"]*"\])|"[^"]*"|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g;
const NUMBER = /\d+(?:[.,]\d+)*/g;

/**
 * Returns the key by which dead letters are grouped: reason, name and message with quoted text and numbers masked, at most 200
 * characters.
 */
export function causeOf(reason: DeadReason, { name, message }: ErrorText): string {
  const masked = message
    .slice(0, MAX_CAUSE_CHARS * 2)
    .replace(QUOTED, (_quoted, field?: string) => field ?? '"…"')
    .replace(NUMBER, '#');
  return `${reason}: ${name}: ${masked}`.slice(0, MAX_CAUSE_CHARS);
}

/** Whether `cause`, as returned by `causeOf`, has this reason. */
export const isCauseOf = (reason: DeadReason, cause: string): boolean => cause.startsWith(`${reason}: `);

/** Counts `cause` in `causes`. Beyond 50 different causes, it counts as "other causes". */
export function countCause(causes: Map<string, number>, cause: string, n = 1): void {
  const key = causes.has(cause) || causes.size < MAX_CAUSES ? cause : OTHER_CAUSES;
  causes.set(key, (causes.get(key) ?? 0) + n);
}
