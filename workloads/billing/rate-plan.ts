/** A band of a graduated plan: the units above `above` cost `percent` of the unit price, up to the next band. */
export interface Band {
  above: bigint;
  percent: bigint;
}

/** Digits after the point that a quantity may have: a byte-second of a GiB-hour is far below any billed amount. */
export const QUANTITY_SCALE = 6;
const UNIT = 10n ** BigInt(QUANTITY_SCALE);

const bands = (...table: [above: number, percent: number][]): readonly Band[] =>
  table.map(([above, percent]) => ({ above: BigInt(above) * UNIT, percent: BigInt(percent) }));

/** Volume discounts by product. They are graduated: a larger line never costs less than a smaller one. */
export const RATE_PLANS: Readonly<Record<string, readonly Band[]>> = {
  'api-calls': bands([0, 100], [1_000, 80], [10_000, 60]),
  'storage-gb': bands([0, 100], [500, 90]),
  'egress-gb': bands([0, 100], [100, 85], [1_000, 70]),
};

/**
 * Returns the quantity (scaled by QUANTITY_SCALE) times the percent of its bands; at list price, 100 × quantity. Keeps
 * the sign.
 */
export function weighQuantity(product: string, quantity: bigint): bigint {
  const plan = Object.hasOwn(RATE_PLANS, product) ? RATE_PLANS[product] : undefined;
  if (plan === undefined) return quantity * 100n;
  return quantity < 0n ? -weigh(plan, -quantity) : weigh(plan, quantity);
}

/** Each band changes the percent of all units above its start, so the calculation does not need the next band. */
function weigh(plan: readonly Band[], quantity: bigint): bigint {
  let weighed = 0n;
  let percent = 0n;
  for (const band of plan) {
    if (quantity <= band.above) break;
    weighed += (quantity - band.above) * (band.percent - percent);
    percent = band.percent;
  }
  return weighed;
}
