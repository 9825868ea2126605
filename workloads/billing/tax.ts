import { divideRounded } from './decimal.ts';

/** The base of a rate: rates are hundredths of a percent, because Switzerland's is 8.1 %. */
const RATE_BASE = 10_000n;

/**
 * Standard rate of value-added, goods-and-services or consumption tax by ISO 3166 country, in hundredths of a percent.
 */
export const TAX_RATES: Readonly<Record<string, bigint>> = {
  AT: 2_000n,
  CH: 810n,
  DE: 1_900n,
  ES: 2_100n,
  FR: 2_000n,
  GB: 2_000n,
  IN: 1_800n,
  IT: 2_200n,
  JP: 1_000n,
  KW: 0n,
  NL: 2_100n,
  SE: 2_500n,
  /** Sales tax is set by the states, and most hosted services are exempt. */
  US: 0n,
};

/**
 * Returns the tax on a net amount, both in minor units; rounded half away from zero per line, as printed on an invoice.
 */
export const taxOn = (net: bigint, rate: bigint): bigint => (rate === 0n ? 0n : divideRounded(net * rate, RATE_BASE));
