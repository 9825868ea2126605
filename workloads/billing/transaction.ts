import { z } from 'zod';
import { CURRENCY_CODES } from './currency.ts';

/** Digits after the point that a unit price may have: some meters cost a few billionths per call. */
export const PRICE_SCALE = 9;

/**
 * One rated usage transaction, as a client sends it. Quantity and price are decimals in strings, because a JSON number
 * may already have lost digits. A whole number is accepted as a quantity, because every JSON writer and reader keeps it
 * exact.
 */
export const transaction = z.object({
  id: z.string().min(1).max(64),
  account: z.string().min(1).max(64),
  product: z.string().min(1).max(64),
  quantity: z.union([
    z.string().regex(/^-?\d{1,12}(\.\d{1,6})?$/, 'Expected a decimal such as "12.5", at most 6 digits after the point'),
    z.int(),
  ]),
  unitPrice: z
    .string()
    .regex(
      /^\d{1,12}(\.\d{1,9})?$/,
      'Expected a decimal of zero or more such as "0.0125", at most 9 digits after the point',
    ),
  currency: z.enum(CURRENCY_CODES, `Expected one of ${CURRENCY_CODES.join(', ')}`),
  time: z.iso.datetime({ offset: true }),
  /** The quantity of a credit is negative. If absent, or empty in a CSV file: usage. */
  kind: z.enum(['usage', 'credit', '']).optional(),
  /** ISO 3166 code of the place of supply. If absent, or empty in a CSV file: the home country of the currency. */
  country: z
    .string()
    .regex(/^([A-Z]{2})?$/, 'Expected a country code such as "DE"')
    .optional(),
});

/** A transaction that has passed the schema. */
export type Transaction = z.infer<typeof transaction>;
