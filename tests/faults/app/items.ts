/** What the items of the fault tests say, and what has to become of each: decided by the item alone, never by the run. */

/** `reject` dies at once, `invalid` before its handler runs, `once` at the second try comes through, `never` runs out. */
export type ItemFate = 'ok' | 'once' | 'reject' | 'invalid' | 'never';

/** An item; `n` is its position in the batch, and stays with it through everything. */
export interface FaultItem {
  n: number;
  k: string;
  v: number;
  f?: ItemFate | undefined;
}

export interface FaultResult {
  n: number;
  position: number;
  k: string;
  v: number;
}

/** What the results of one key fold to. */
export interface FaultTotal {
  count: number;
  sum: number;
}

/** How often the handler may run on an item. */
export const ATTEMPTS = 3;
