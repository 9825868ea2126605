/** Splits a $filter into tokens, to count its comparisons and to find a condition on the partition. */

/** A quoted literal with its prefix (datetime'...'), a number with its suffix, a word, or any other character. */
const TOKEN = /(?:\w+)?'(?:[^']|'')*'|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\w*|\w+|\S/g;
const COMPARISON = /^(?:eq|ne|gt|ge|lt|le)$/;

const tokensOf = (filter: string): string[] => filter.match(TOKEN) ?? [];

export const countComparisons = (filter: string): number =>
  tokensOf(filter).filter((token) => COMPARISON.test(token)).length;

/** Returns the first integer literal outside the range of Int32 without the suffix `L`, or undefined. */
export function untypedLongIn(filter: string): string | undefined {
  return tokensOf(filter).find(
    (token) => /^-?\d+$/.test(token) && (BigInt(token) > 2n ** 31n - 1n || BigInt(token) < -(2n ** 31n)),
  );
}

/** Whether the filter selects entities of only one partition, as far as its tokens show. */
export function pinsPartition(filter: string): boolean {
  const tokens = tokensOf(filter);
  if (tokens.includes('or') || tokens.includes('not')) return false;
  return tokens.some((token, at) => token === 'PartitionKey' && tokens[at + 1] === 'eq');
}
