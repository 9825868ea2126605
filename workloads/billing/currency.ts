/**
 * The ISO 4217 currencies of invoices: digits of the minor unit, and the country of taxation for a sale without one.
 */
export const CURRENCIES = {
  EUR: { exponent: 2, country: 'DE' },
  USD: { exponent: 2, country: 'US' },
  GBP: { exponent: 2, country: 'GB' },
  CHF: { exponent: 2, country: 'CH' },
  SEK: { exponent: 2, country: 'SE' },
  INR: { exponent: 2, country: 'IN' },
  JPY: { exponent: 0, country: 'JP' },
  KWD: { exponent: 3, country: 'KW' },
} as const;

/** A currency code of the table. */
export type Currency = keyof typeof CURRENCIES;

/** The codes for the schema: an unknown currency has no known minor unit and cannot be billed. */
export const CURRENCY_CODES = Object.keys(CURRENCIES) as [Currency, ...Currency[]];
