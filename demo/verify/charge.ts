/**
 * Calculates the expected charge of one record independently of the workload: it reads the workload's price lists, but
 * calls none of its functions. Amounts are fractions until they are rounded, and a discount is calculated as what each
 * step subtracts, not as what remains.
 */
import { CURRENCIES } from '../../workloads/billing/currency.ts';
import { QUANTITY_SCALE, RATE_PLANS } from '../../workloads/billing/rate-plan.ts';
import { TAX_RATES } from '../../workloads/billing/tax.ts';
import { type Fraction, plus, readFraction, times, toNearest } from './fraction.ts';
import { isInstant } from './instant.ts';

/** The amounts that a record adds to an account's totals, in minor units. */
export interface Charge {
  account: string;
  currency: string;
  decimals: number;
  net: bigint;
  tax: bigint;
}

/** Returns the charge of a record, or undefined if it cannot be billed and must become a dead letter. */
export function chargeOf(record: unknown): Charge | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const fields = record as Record<string, unknown>;
  const { account, product, currency, kind = '', country = '' } = fields;
  if (!isName(fields.id) || !isName(account) || !isName(product) || !isInstant(fields.time)) return undefined;
  const money = lookUp(CURRENCIES, currency);
  const rate = lookUp(TAX_RATES, country === '' ? money?.country : country);
  const price = readPrice(fields.unitPrice);
  const quantity = readQuantity(fields.quantity);
  if (!money || rate === undefined || !price || !quantity || !fits(kind, quantity)) return undefined;
  const unit = { top: 10n ** BigInt(money.exponent), bottom: 1n };
  const net = toNearest(times(times(discounted(product, quantity), price), unit));
  const tax = toNearest({ top: net * rate, bottom: 10_000n });
  return { account, currency: String(currency), decimals: money.exponent, net, tax };
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length >= 1 && value.length <= 64;

function lookUp<T>(table: Readonly<Record<string, T>>, key: unknown): T | undefined {
  return typeof key === 'string' ? new Map(Object.entries(table)).get(key) : undefined;
}

function readPrice(value: unknown): Fraction | undefined {
  if (typeof value !== 'string' || value.startsWith('-')) return undefined;
  return readFraction(value, { whole: 12, decimals: 9 });
}

function readQuantity(value: unknown): Fraction | undefined {
  if (typeof value === 'string') return readFraction(value, { whole: 12, decimals: 6 });
  return Number.isSafeInteger(value) ? { top: BigInt(value as number), bottom: 1n } : undefined;
}

/** The quantity of a credit is negative, that of usage is not. */
function fits(kind: unknown, { top }: Fraction): boolean {
  return kind === 'credit' ? top < 0n : (kind === '' || kind === 'usage') && top >= 0n;
}

/** Returns the quantity minus what each step of the plan subtracts from the units above it. */
function discounted(product: string, quantity: Fraction): Fraction {
  const size = quantity.top < 0n ? { ...quantity, top: -quantity.top } : quantity;
  let left = size;
  let percentBefore = 100n;
  for (const { above, percent } of lookUp(RATE_PLANS, product) ?? []) {
    const over = plus(size, { top: -above, bottom: 10n ** BigInt(QUANTITY_SCALE) });
    if (over.top > 0n) left = plus(left, times(over, { top: percent - percentBefore, bottom: 100n }));
    percentBefore = percent;
  }
  return quantity.top < 0n ? { ...left, top: -left.top } : left;
}
