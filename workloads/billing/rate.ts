import { Reject } from 'sluice';
import { CURRENCIES } from './currency.ts';
import { divideRounded, formatDecimal, parseDecimal, powerOfTen } from './decimal.ts';
import { QUANTITY_SCALE, weighQuantity } from './rate-plan.ts';
import { TAX_RATES, taxOn } from './tax.ts';
import { PRICE_SCALE, type Transaction } from './transaction.ts';

/** One line of an invoice. Amounts are decimals with the digits of the currency's minor unit. */
export interface InvoiceLine {
  id: string;
  account: string;
  product: string;
  quantity: string;
  net: string;
  tax: string;
  gross: string;
  currency: Transaction['currency'];
  time: string;
}

const PERCENT_SCALE = 2;

/**
 * Prices one transaction. Net is rounded once, after the discount; tax is rounded on that net; gross is their sum.
 * @throws Reject for a quantity whose sign does not match the kind, and for a country without a tax rate
 */
export function rateTransaction(item: Transaction): InvoiceLine {
  const { exponent, country: home } = CURRENCIES[item.currency];
  const quantity = signedQuantity(item);
  const rate = taxRate(item.country || home);
  const exact = weighQuantity(item.product, quantity) * parseDecimal(item.unitPrice, PRICE_SCALE);
  const net = divideRounded(exact, powerOfTen(QUANTITY_SCALE + PERCENT_SCALE + PRICE_SCALE - exponent));
  const tax = taxOn(net, rate);
  return {
    id: item.id,
    account: item.account,
    product: item.product,
    quantity: String(item.quantity),
    net: formatDecimal(net, exponent),
    tax: formatDecimal(tax, exponent),
    gross: formatDecimal(net + tax, exponent),
    currency: item.currency,
    time: item.time,
  };
}

function signedQuantity(item: Transaction): bigint {
  const quantity =
    typeof item.quantity === 'number'
      ? BigInt(item.quantity) * powerOfTen(QUANTITY_SCALE)
      : parseDecimal(item.quantity, QUANTITY_SCALE);
  if (item.kind === 'credit' ? quantity >= 0n : quantity < 0n) {
    const expected = item.kind === 'credit' ? 'below zero for a credit' : 'zero or more for usage';
    throw new Reject(`Expected a quantity ${expected}, got ${item.quantity}.`);
  }
  return quantity;
}

function taxRate(country: string): bigint {
  const rate = Object.hasOwn(TAX_RATES, country) ? TAX_RATES[country] : undefined;
  if (rate === undefined) throw new Reject(`Expected a country with a tax rate, got ${JSON.stringify(country)}.`);
  return rate;
}
