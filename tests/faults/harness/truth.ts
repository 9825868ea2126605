/** The content of a batch of the fault tests, and its required results, computed independently of the app. */
import {
  ATTEMPTS,
  AWKWARD_TEXT,
  awkwardText,
  type FaultItem,
  type FaultTotal,
  type ItemBehaviour,
} from '../app/items.ts';

/** The required content of a dead letter. */
export interface DeadTruth {
  reason: string;
  /** In the item, and in the message of its handler's error; undefined if the item has none. */
  text: string | undefined;
}

/** A batch and its only correct result. */
export interface Truth {
  body: string;
  accepted: number;
  /** By position; every other position must be among `dead`. */
  succeeded: ReadonlyMap<number, FaultItem>;
  /** By position. */
  dead: ReadonlyMap<number, DeadTruth>;
  totals: ReadonlyMap<string, FaultTotal>;
  /** By position: the last attempt for which the handler is called; 1 if absent. */
  attempts: ReadonlyMap<number, number>;
  /** Positions whose handler is called once more, alone, because of an error from outside its promise. */
  setAside: ReadonlySet<number>;
}

const REASONS: Partial<Record<ItemBehaviour, string>> = {
  ...{ reject: 'rejected', invalid: 'invalid', never: 'exhausted' },
  ...{ unhandled: 'exhausted', timer: 'exhausted', exit: 'killed' },
};
const LAST_ATTEMPTS: Partial<Record<ItemBehaviour, number>> = {
  ...{ invalid: 0, once: 2, never: ATTEMPTS, unhandled: ATTEMPTS, timer: ATTEMPTS },
};
/** Enough keys that every chunk adds to most of them. */
const KEYS = 20;
/** These have a text only as rarely as the others, because there are many of them. */
const PLAIN: ReadonlySet<ItemBehaviour> = new Set(['ok', 'waits']);
/** One in this number of succeeding items has a text. */
const TEXT_STRIDE = 53;
/** Maximum number of texts of the others: if thousands become dead letters, their texts would be most of the batch. */
const MAX_TEXTS = 100;

const keyOf = (n: number): string => {
  const key = (n * 7) % KEYS;
  return key === 13 ? `k13 ${AWKWARD_TEXT.toWellFormed()}` : `k${key}`;
};

/** Creates a batch of `count` items. All succeed except those that `behaviours` lists by position. */
export function truthOf(count: number, behaviours: ReadonlyMap<number, ItemBehaviour>): Truth {
  const lines: string[] = [];
  const succeeded = new Map<number, FaultItem>();
  const dead = new Map<number, DeadTruth>();
  const attempts = new Map<number, number>();
  const setAside = new Set<number>();
  let texts = 0;
  for (let n = 0; n < count; n += 1) {
    const behaviour = behaviours.get(n) ?? 'ok';
    const hasText = n % TEXT_STRIDE === 0 || (!PLAIN.has(behaviour) && texts++ < MAX_TEXTS);
    const text = hasText ? awkwardText(n) : undefined;
    const item: FaultItem = { n, k: keyOf(n), v: (n * 31) % 1_000, ...(hasText ? { t: text } : {}) };
    const reason = REASONS[behaviour];
    const last = LAST_ATTEMPTS[behaviour];
    if (last !== undefined) attempts.set(n, last);
    if (behaviour === 'unhandled' || behaviour === 'timer') setAside.add(n);
    lines.push(lineOf(item, behaviour));
    if (reason !== undefined) {
      dead.set(n, { reason, text });
      continue;
    }
    succeeded.set(n, item);
  }
  const totals = totalsOf(succeeded.values());
  return { body: `${lines.join('\n')}\n`, accepted: count, succeeded, dead, totals, attempts, setAside };
}

/** The report of these items. */
export function totalsOf(items: Iterable<FaultItem>): Map<string, FaultTotal> {
  const totals = new Map<string, FaultTotal>();
  for (const { k, v } of items) {
    const { count, sum } = totals.get(k) ?? { count: 0, sum: 0 };
    totals.set(k, { count: count + 1, sum: sum + v });
  }
  return totals;
}

function lineOf(item: FaultItem, behaviour: ItemBehaviour): string {
  if (behaviour === 'ok') return JSON.stringify(item);
  return JSON.stringify(behaviour === 'invalid' ? { ...item, v: 'no number' } : { ...item, f: behaviour });
}
