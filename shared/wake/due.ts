/** When the delayed messages of a queue become visible, as a gate remembers it. */

/**
 * After how long a message that was due is surely visible: its delay was rounded up to whole seconds, and the topic's
 * clock may be a second ahead. A wake that finds it still invisible would park for a whole lease.
 */
export const DUE_MARGIN_MS = 2_000;

/** Due times that a gate remembers: each costs a row of the table 30 bytes, and a drain that was not needed at worst. */
const MAX_DUE = 16;

/**
 * Both lists of due times (ISO text) as one: whole seconds, ascending, no two alike. Where there are too many, the
 * earlier one of the two that are closest together goes: its message is found with the other's.
 */
export function mergeDue(known: readonly string[], more: readonly string[]): string[] {
  const due = [...new Set([...known, ...more].map(wholeSecond))].sort();
  while (due.length > MAX_DUE) due.splice(closest(due), 1);
  return due;
}

/** Those whose message may still be invisible at `ms`. */
export const dueAfter = (due: readonly string[], ms: number): string[] =>
  due.filter((at) => Date.parse(at) + DUE_MARGIN_MS > ms);

const wholeSecond = (at: string): string => new Date(Math.ceil(Date.parse(at) / 1000) * 1000).toISOString();

function closest(due: readonly string[]): number {
  const gaps = due.slice(1).map((at, index) => Date.parse(at) - Date.parse(due[index] ?? ''));
  return gaps.indexOf(Math.min(...gaps));
}
