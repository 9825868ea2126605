/** A $filter as tokens: enough to count its comparisons and to see what it pins. */

/** A quoted literal with its prefix (datetime'...'), a number with its suffix, a word, or one other character. */
const TOKEN = /(?:\w+)?'(?:[^']|'')*'|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\w*|\w+|\S/g;
const COMPARISON = /^(?:eq|ne|gt|ge|lt|le)$/;

const tokensOf = (filter: string): string[] => filter.match(TOKEN) ?? [];

export const countComparisons = (filter: string): number =>
  tokensOf(filter).filter((token) => COMPARISON.test(token)).length;

/** The first integer literal beyond Int32 that has no `L`, else undefined. */
export function untypedLongIn(filter: string): string | undefined {
  return tokensOf(filter).find(
    (token) => /^-?\d+$/.test(token) && (BigInt(token) > 2n ** 31n - 1n || BigInt(token) < -(2n ** 31n)),
  );
}

/** Whether the filter lets entities of one partition through alone, as far as that can be seen without evaluating it. */
export function pinsPartition(filter: string): boolean {
  const tokens = tokensOf(filter);
  if (tokens.includes('or') || tokens.includes('not')) return false;
  return tokens.some((token, at) => token === 'PartitionKey' && tokens[at + 1] === 'eq');
}
