/** Maximum number of edits in a long word. In a short word, the maximum is a third of its length. */
const MAX_EDITS = 3;

/** Returns the candidate that `text` probably misspells, or undefined. Ignores case. */
export function nearest(text: string, candidates: readonly string[]): string | undefined {
  const word = text.toLowerCase();
  let best: { candidate: string; edits: number } | undefined;
  for (const candidate of candidates) {
    const other = candidate.toLowerCase();
    const length = Math.max(word.length, other.length);
    const edits = word.length >= 3 && other.startsWith(word) ? 1 : editsBetween(word, other);
    const isNear = edits <= Math.min(MAX_EDITS, Math.ceil(length / 3));
    if (isNear && edits < length && edits < (best?.edits ?? Infinity)) best = { candidate, edits };
  }
  return best?.candidate;
}

/** Returns " Did you mean x?", or an empty text if no candidate is similar. */
export function didYouMean(text: string, candidates: readonly string[]): string {
  const near = nearest(text, candidates);
  return near === undefined ? '' : ` Did you mean ${near}?`;
}

/** Returns the minimum number of insertions, deletions, replacements and swaps of neighbours that change `a` into `b`. */
function editsBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, n) => n);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const at = (list: readonly number[], n: number): number => list[n] ?? Infinity;
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(last, j) + 1,
        at(row, j - 1) + 1,
        at(last, j - 1) + (isSame ? 0 : 1),
        isSwap ? at(beforeLast, j - 2) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? Infinity;
}
