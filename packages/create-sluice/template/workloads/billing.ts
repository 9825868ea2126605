import { defineWorkload, Reject } from 'sluice';
import { z } from 'zod';

/** One line of usage. An item that does not match becomes a dead letter; the others continue. */
const item = z.object({
  id: z.string().min(1),
  account: z.string().min(1),
  quantity: z.number().int(),
  unitCents: z.number().int().nonnegative(),
});

/** Usage lines → charges → totals per account. Amounts are whole cents, so that sums are exact in any order. */
export default defineWorkload({
  name: 'billing',
  version: 1,
  item,
  id: ({ id }) => id,
  // Runs at least once per item, in a worker thread. A call of another service gets the context's idempotencyKey.
  map: ({ id, account, quantity, unitCents }) => {
    if (quantity < 0) throw new Reject(`Expected a quantity of zero or more, got ${quantity}.`);
    return { id, account, cents: quantity * unitCents };
  },
  // One row of the report per account. Chunks finish in any order: merge(a, b) must equal merge(b, a).
  reduce: {
    key: ({ account }) => account,
    init: () => ({ lines: 0, cents: 0 }),
    add: (total, { cents }) => ({ lines: total.lines + 1, cents: total.cents + cents }),
    merge: (a, b) => ({ lines: a.lines + b.lines, cents: a.cents + b.cents }),
  },
  deadlineSeconds: 300,
});
