/** The workload of these tests, and its downstream. */
import { z } from 'zod';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../shared/workload/errors.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';

/** The current behavior of the downstream. */
export const downstream = { broken: new Set<string>() };

export interface Item {
  id: string;
  part: string;
  amount: number;
  /** Fails, so that the item waits for a retry that never comes in a test. */
  later?: boolean;
}

/** `count` items, spread over parts a, b and c. */
export const itemsOf = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => ({ id: `i${n}`, part: 'abc'[n % 3] ?? 'a', amount: n }));

/** Items as an upload. */
export const ndjson = (items: readonly Item[]): string => items.map((item) => `${JSON.stringify(item)}\n`).join('');

/** Fails items whose part is broken. */
export const echo = defineWorkload({
  name: 'echo',
  version: 1,
  item: z.object({ id: z.string(), part: z.string(), amount: z.number(), later: z.boolean().optional() }),
  map: ({ id, part, amount, later }) => {
    if (!downstream.broken.has(part)) return { id, part, amount };
    throw later ? new Retry('later', { after: 3_600 }) : new Reject(`${part} is broken`);
  },
  reduce: {
    key: ({ part }) => part,
    init: () => ({ items: 0, amount: 0 }),
    add: (acc, { amount }) => ({ items: acc.items + 1, amount: acc.amount + amount }),
    merge: (a, b) => ({ items: a.items + b.items, amount: a.amount + b.amount }),
  },
  chunk: { maxItems: 3 },
  retentionDays: 30,
});

export const registry = createRegistry([echo]);
