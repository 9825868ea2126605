/** The limiter with one rule removed at a time, by wrapping its dependencies; each mutant must be detected. */

import type { Holder } from '../../../shared/limits/quota-row.ts';
import type { Table } from '../../../shared/storage/table.ts';
import type { ProcessPlan } from './process.ts';

export interface Mutant {
  name: string;
  bend: (table: Table) => Table;
  processes: readonly ProcessPlan[];
  /** Defaults to any number in flight. */
  maxConcurrency?: number;
  finds: RegExp;
}

/** A table whose holders are read through `view`. */
const seen =
  (view: (holder: Holder) => Holder) =>
  (table: Table): Table => ({
    ...table,
    getEntity: async (partitionKey, rowKey) => {
      const entity = await table.getEntity(partitionKey, rowKey);
      const holders = (JSON.parse(String(entity.holders ?? '[]')) as Holder[]).map(view);
      return { ...entity, holders: JSON.stringify(holders) };
    },
  });

const NOTHING = { permitsPerSecond: 0, inFlight: 0 };
/** The same as the limiter's own. */
const MARGIN_MS = 1_500;
const OFFSET_MS = 1_000;
const plain = (id: string, startMs = 0): ProcessPlan => ({ id, startMs, offsetMs: 0, latencyMs: 50 });

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no margin at the end of a lease',
    bend: seen((holder) => ({ ...holder, until: holder.until - MARGIN_MS })),
    // Three processes cannot renew their leases, and assume a longer lease than the fourth one, which takes over their
    // shares.
    processes: [
      ...[1, 2, 3].map((n) => ({
        ...{ ...plain(`slow-${n}`), offsetMs: -OFFSET_MS },
        cutOff: { atMs: 20_000, forMs: 30_000 },
      })),
      { ...plain('fast'), offsetMs: OFFSET_MS },
    ],
    finds: /calls from/,
  },
  {
    name: 'a share is raised before others have lowered theirs',
    bend: seen((holder) => ({ ...holder, has: NOTHING })),
    processes: [plain('first'), plain('second', 20_000)],
    finds: /calls from/,
  },
  {
    name: 'more in flight is given before others have less',
    bend: seen((holder) => ({ ...holder, has: NOTHING })),
    maxConcurrency: 16,
    processes: [1, 2, 3, 4].map((n) => ({ ...plain(`process-${n}`, n * 1_000), latencyMs: 900 })),
    finds: /items in flight/,
  },
  {
    name: 'a claim overwrites those that came between',
    bend: (table) => ({ ...table, updateEntity: (entity, mode) => table.updateEntity(entity, mode, { etag: '*' }) }),
    processes: [1, 2, 3, 4, 5, 6, 7, 8].map((n) => plain(`process-${n}`)),
    finds: /calls from/,
  },
];
