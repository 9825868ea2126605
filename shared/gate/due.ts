/** The times at which delayed messages of a queue become visible, as stored in a gate. */

/** After this time a due message is visible: delays are rounded up, and the clock of the topic may be ahead. */
export const DUE_MARGIN_MS = 2_000;

/** Maximum number of due times in a gate: each adds 30 bytes to the row, and costs at worst one unnecessary drain. */
const MAX_DUE = 16;

/**
 * Merges two lists of due times (ISO text) into one: whole seconds, ascending, no duplicates. If there are too many,
 * removes the earlier one of the two that are closest together: its message is found together with the other one.
 */
export function mergeDue(known: readonly string[], more: readonly string[]): string[] {
  const due = [...new Set([...known, ...more].map(wholeSecond))].sort((a, b) => a - b);
  while (due.length > MAX_DUE) due.splice(closest(due), 1);
  return due.map((second) => new Date(second * 1000).toISOString());
}

/** Returns the due times whose message may still be invisible at `ms`. */
export const dueAfter = (due: readonly string[], ms: number): string[] =>
  due.filter((at) => Date.parse(at) + DUE_MARGIN_MS > ms);

const wholeSecond = (at: string): number => Math.ceil(Date.parse(at) / 1000);

/** The index at which the smallest gap begins. */
function closest(due: readonly number[]): number {
  const gapAt = (index: number): number => (due[index + 1] ?? Number.POSITIVE_INFINITY) - (due[index] ?? 0);
  let best = 0;
  for (let index = 1; index < due.length - 1; index += 1) if (gapAt(index) < gapAt(best)) best = index;
  return best;
}
