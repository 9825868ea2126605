import type { ItemContext } from 'sluice';
import { defineWorkload, Reject, Retry } from 'sluice';
import { z } from 'zod';

// Cents are whole numbers: a sum of doubles depends on the order in which chunks finish.
const order = z.object({ id: z.string().min(1).max(64), shop: z.string().min(1).max(64), cents: z.int().min(0) });
const booking = z.object({ entry: z.string() });

/** Books an order. The ledger books once per idempotency key. */
async function book(order: unknown, { idempotencyKey, signal }: ItemContext): Promise<{ entry: string }> {
  const response = await fetch(`${process.env.LEDGER_URL}/entries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify(order),
    signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
  });
  const text = await response.text(); // always: an unread body keeps its connection open
  if (response.ok) return booking.parse(JSON.parse(text));
  const { status, headers } = response;
  if (status === 429) throw new Retry('The ledger is busy.', { after: Number(headers.get('retry-after')) });
  // The order itself is wrong, not the app's credentials (401, 403) or the timing (408, 409): a dead letter, no retry.
  if (status < 500 && ![401, 403, 408, 409].includes(status)) throw new Reject(`The ledger refused it: "${text}"`);
  throw new Error(`The ledger answered ${status}.`); // retried, like any other error
}

export default defineWorkload({
  name: 'orders',
  version: 1,
  item: order,
  map: async (order, context) => {
    const { entry } = await book(order, context);
    return { ...order, entry };
  },
  concurrency: 32,
  chunk: { maxItems: 500 },
  secondsPerChunk: 4,
  timeoutSeconds: 30,
  reduce: {
    key: ({ shop }) => shop,
    init: () => ({ orders: 0, cents: 0 }),
    add: (sum, { cents }) => ({ orders: sum.orders + 1, cents: sum.cents + cents }),
    merge: (a, b) => ({ orders: a.orders + b.orders, cents: a.cents + b.cents }),
    finish: (_shop, { orders, cents }) => ({ orders, cents, average: Math.round(cents / orders) }),
  },
});
