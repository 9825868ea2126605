/** What a batch of the fault tests says, and what must come out of it: worked out here, beside the app. */
import {
  ATTEMPTS,
  AWKWARD_TEXT,
  awkwardText,
  type FaultItem,
  type FaultTotal,
  type ItemBehaviour,
} from '../app/items.ts';

/** What a dead letter must say. */
export interface DeadTruth {
  reason: string;
  /** In the item, and in the message of its handler's error; undefined: the item has none. */
  text: string | undefined;
}

/** A batch and its one right end. */
export interface Truth {
  body: string;
  accepted: number;
  /** By position; every other position must be among `dead`. */
  succeeded: ReadonlyMap<number, FaultItem>;
  /** By position. */
  dead: ReadonlyMap<number, DeadTruth>;
  totals: ReadonlyMap<string, FaultTotal>;
  /** By position: the last attempt that the handler is called for; 1 where absent. */
  attempts: ReadonlyMap<number, number>;
  /** Positions whose handler is called once more, alone, for an error from outside of its promise. */
  setAside: ReadonlySet<number>;
}

const REASONS: Partial<Record<ItemBehaviour, string>> = {
  ...{ reject: 'rejected', invalid: 'invalid', never: 'exhausted' },
  ...{ unhandled: 'exhausted', timer: 'exhausted', exit: 'killed' },
};
const LAST_ATTEMPTS: Partial<Record<ItemBehaviour, number>> = {
  ...{ invalid: 0, once: 2, never: ATTEMPTS, unhandled: ATTEMPTS, timer: ATTEMPTS },
};
/** So many keys that every chunk adds to most of them. */
const KEYS = 20;
/** Have a text as seldom as the others: there are many of them. */
const PLAIN: ReadonlySet<ItemBehaviour> = new Set(['ok', 'waits']);
/** Every so many of the items that succeed have a text. */
const TEXT_STRIDE = 53;
/** The others have one up to so many of them: where thousands die, their texts would be most of the batch. */
const MOST_TEXTS = 100;

const keyOf = (n: number): string => {
  const key = (n * 7) % KEYS;
  return key === 13 ? `k13 ${AWKWARD_TEXT.toWellFormed()}` : `k${key}`;
};

/** Makes a batch of `count` items, all of which succeed but those that `behaviours` names by position. */
export function truthOf(count: number, behaviours: ReadonlyMap<number, ItemBehaviour>): Truth {
  const lines: string[] = [];
  const succeeded = new Map<number, FaultItem>();
  const dead = new Map<number, DeadTruth>();
  const attempts = new Map<number, number>();
  const setAside = new Set<number>();
  let texts = 0;
  for (let n = 0; n < count; n += 1) {
    const behaviour = behaviours.get(n) ?? 'ok';
    const hasText = n % TEXT_STRIDE === 0 || (!PLAIN.has(behaviour) && texts++ < MOST_TEXTS);
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
