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
  const due = [...new Set([...known, ...more].map(wholeSecond))].sort((a, b) => a - b);
  while (due.length > MAX_DUE) due.splice(closest(due), 1);
  return due.map((second) => new Date(second * 1000).toISOString());
}

/** Those whose message may still be invisible at `ms`. */
export const dueAfter = (due: readonly string[], ms: number): string[] =>
  due.filter((at) => Date.parse(at) + DUE_MARGIN_MS > ms);

const wholeSecond = (at: string): number => Math.ceil(Date.parse(at) / 1000);

/** Where the smallest gap begins. */
function closest(due: readonly number[]): number {
  const gapAt = (index: number): number => (due[index + 1] ?? Number.POSITIVE_INFINITY) - (due[index] ?? 0);
  let best = 0;
  for (let index = 1; index < due.length - 1; index += 1) if (gapAt(index) < gapAt(best)) best = index;
  return best;
}
