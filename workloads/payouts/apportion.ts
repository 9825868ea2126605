/**
 * Divides `total` minor units in proportion to `weights`, so that the parts sum to it exactly. Each part is its
 * quotient rounded down, and the remaining units are added to those with the largest remainders (Hamilton's method), in
 * order if these are equal. If each part were rounded separately, the parts could sum to more or less than the total.
 * @throws RangeError for a negative total or weight, and for weights that sum to zero
 */
export function apportion(total: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((all, weight) => all + weight, 0n);
  if (total < 0n || sum === 0n || weights.some((weight) => weight < 0n)) {
    throw new RangeError(`Expected a total and weights of zero or more, not all zero; got ${total} by ${weights}.`);
  }
  const parts = weights.map((weight) => (total * weight) / sum);
  const remainders = weights.map((weight, index) => ({ index, remainder: (total * weight) % sum }));
  const left = Number(total - parts.reduce((all, part) => all + part, 0n));
  // sort is stable: equal remainders stay in the order of the contract.
  remainders.sort((a, b) => Number(b.remainder > a.remainder) - Number(b.remainder < a.remainder));
  for (const { index } of remainders.slice(0, left)) parts[index] = (parts[index] ?? 0n) + 1n;
  return parts;
}
