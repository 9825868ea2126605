import { z } from 'zod';
import { defineWorkload } from '../../../../shared/workload/define.ts';

/** A sale of a shop: every type to which a cell can be converted, and a nested object. */
export const sale = z.object({
  id: z.string().min(1),
  customer: z.string().min(1),
  quantity: z.int().min(1),
  price: z.number(),
  paid: z.boolean(),
  tier: z.enum(['basic', 'plus', 'pro']),
  sold: z.iso.date(),
  note: z.string().min(1).optional(),
  address: z.object({ city: z.string().min(1), postcode: z.string().regex(/^\d{5}$/) }),
});
export type Sale = z.infer<typeof sale>;

/** Sums per city and tier. They are whole numbers, because sums of doubles depend on the order. */
export interface Totals {
  lines: number;
  quantity: number;
  cents: number;
  paid: number;
  /** Characters of all notes, and of all customers. */
  noted: number;
  named: number;
  first: string;
}

export const toTotals = ({ quantity, price, paid, note = '', customer, sold }: Sale): Totals => ({
  lines: 1,
  quantity,
  cents: quantity * Math.round(price * 100),
  paid: Number(paid),
  noted: note.length,
  named: customer.length,
  first: sold,
});

export const addTotals = (a: Totals, b: Totals): Totals => ({
  lines: a.lines + b.lines,
  quantity: a.quantity + b.quantity,
  cents: a.cents + b.cents,
  paid: a.paid + b.paid,
  noted: a.noted + b.noted,
  named: a.named + b.named,
  first: [a.first, b.first].sort()[0] ?? '',
});

export const keyOf = ({ address, tier }: Sale): string => `${address.city}|${tier}`;

const none: Totals = { lines: 0, quantity: 0, cents: 0, paid: 0, noted: 0, named: 0, first: '9999' };

export const sales = defineWorkload({
  name: 'sales',
  version: 1,
  item: sale,
  map: async (item) => ({ key: keyOf(item), totals: toTotals(item) }),
  reduce: {
    key: ({ key }) => key,
    init: () => none,
    add: (sum, { totals }) => addTotals(sum, totals),
    merge: addTotals,
  },
});
