import { z } from 'zod';
import { CURRENCY_CODES } from '../billing/currency.ts';

/** Digits after the point that a percentage may have: contracts divide by three, and by three again. */
export const PERCENT_SCALE = 4;

const percent = z
  .string()
  .regex(/^\d{1,3}(\.\d{1,4})?$/, 'Expected a percentage such as "33.3333", at most 4 digits after the point');

/** One author's part of a work. `share` is a percentage of the payouts of all authors of the work. */
const part = z.object({ author: z.string().min(1).max(64), share: percent });

/**
 * A sale of one work, as the shop sends it, with the terms at the time of the sale: a later change of the contract must
 * not change earlier sales. Decimals are strings, because a JSON number may already have lost digits.
 */
export const sale = z.object({
  id: z.string().min(1).max(64),
  work: z.string().min(1).max(64),
  /** The `amount` of a refund is that of the refunded sale. */
  kind: z.enum(['sale', 'refund']).default('sale'),
  /** The price that the buyer paid without tax, in whole minor units of the currency. */
  amount: z.string().regex(/^\d{1,12}(\.\d{1,3})?$/, 'Expected an amount of zero or more such as "12.99"'),
  currency: z.enum(CURRENCY_CODES),
  /** Percentage of the amount that is paid to the authors. */
  royalty: percent,
  authors: z.array(part).min(1).max(50),
  time: z.iso.datetime({ offset: true }),
});

/** A sale that has passed the schema. */
export type Sale = z.infer<typeof sale>;
