import { Reject } from 'sluice';
import { CURRENCIES } from '../billing/currency.ts';
import { divideRounded, formatDecimal, parseDecimal, powerOfTen } from '../billing/decimal.ts';
import { apportion } from './apportion.ts';
import { PERCENT_SCALE, type Sale } from './sale.ts';

/**
 * The payouts of a sale: one result of a batch. The amounts of `payouts` sum to `royalty`; those of a refund are
 * negative.
 */
export interface Distribution {
  sale: string;
  work: string;
  currency: string;
  amount: string;
  royalty: string;
  payouts: { author: string; amount: string }[];
  time: string;
}

/** 100 percent at PERCENT_SCALE. */
const WHOLE = 100n * powerOfTen(PERCENT_SCALE);

/**
 * Divides a sale's royalty among the authors. A refund is the exact negative of its sale for each author, not only in
 * total, so that both sum to zero.
 * @throws Reject for amounts and terms that can never be paid out
 */
export function distribute(sale: Sale): Distribution {
  const { exponent } = CURRENCIES[sale.currency];
  const sign = sale.kind === 'refund' ? -1n : 1n;
  const write = (units: bigint): string => formatDecimal(sign * units, exponent);
  const amount = minorUnits(sale, exponent);
  const royalty = divideRounded(amount * percentOf(sale.royalty), WHOLE);
  const parts = apportion(royalty, sharesOf(sale));
  return {
    sale: sale.id,
    work: sale.work,
    currency: sale.currency,
    amount: write(amount),
    royalty: write(royalty),
    payouts: sale.authors.map(({ author }, index) => ({ author, amount: write(parts[index] ?? 0n) })),
    time: sale.time,
  };
}

function minorUnits({ amount, currency }: Sale, exponent: number): bigint {
  try {
    return parseDecimal(amount, exponent);
  } catch (cause) {
    throw new Reject(`Expected whole minor units of ${currency}, got ${amount}.`, { cause });
  }
}

function percentOf(text: string): bigint {
  const percent = parseDecimal(text, PERCENT_SCALE);
  if (percent > WHOLE) throw new Reject(`Expected a percentage of at most 100, got ${text}.`);
  return percent;
}

/** Shares that do not sum to 100 are an error in the contract, which the workload must not correct by guessing. */
function sharesOf({ work, authors }: Sale): bigint[] {
  const shares = authors.map(({ share }) => percentOf(share));
  const sum = shares.reduce((all, share) => all + share, 0n);
  if (sum !== WHOLE)
    throw new Reject(`The shares of "${work}" must sum to 100, got ${formatDecimal(sum, PERCENT_SCALE)}.`);
  const names = new Set(authors.map(({ author }) => author));
  if (names.size < authors.length) throw new Reject(`"${work}" lists an author twice.`);
  return shares;
}
