import type { ItemBehaviour } from '../app/items.ts';

/** Draws a whole number below a bound. */
export type Up = (below: number) => number;
/** Creates the draw of whole numbers from a random number generator. */
export const upBy =
  (random: () => number): Up =>
  (below) =>
    Math.floor(random() * below);
/** Share of the runs with many rejected items: enough for a rule to halt the batch, or almost enough. */
const REJECTING_SHARE = 0.3;
/** One in this number of items waits a moment. */
const WAITS_STRIDE = 50;
/** Maximum number of items of a run for each behaviour. */
const WAITING: readonly (readonly [ItemBehaviour, number])[] = [
  ['unhandled', 3],
  ['timer', 3],
  ['late', 4],
  ['exit', 3],
];

/** Draws the items of a run that fail. */
export function behavioursOf(items: number, up: Up): Map<number, ItemBehaviour> {
  const behaviours = new Map<number, ItemBehaviour>();
  const add = (behaviour: ItemBehaviour, count: number): void => {
    for (let n = 0; n < count; n += 1) behaviours.set(up(items), behaviour);
  };
  add('once', up(9));
  add('never', up(4));
  add('reject', up(6));
  add('invalid', up(4));
  return behaviours;
}

/** Adds the behaviours of a handler that waits; drawn separately, so that a seed keeps its faults. */
export function addWaiting(behaviours: Map<number, ItemBehaviour>, items: number, up: Up): Map<number, ItemBehaviour> {
  for (let n = 0; n < items; n += 1 + up(2 * WAITS_STRIDE)) if (!behaviours.has(n)) behaviours.set(n, 'waits');
  for (const [behaviour, below] of WAITING) for (let n = up(below); n > 0; n -= 1) behaviours.set(up(items), behaviour);
  return behaviours;
}

/** Share of the runs with items that take seconds, and their maximum number. */
const LONG_SHARE = 0.2;
const MAX_LONG = 6;

/** Adds items that take seconds. */
export function addLong(behaviours: Map<number, ItemBehaviour>, items: number, random: () => number): void {
  if (random() >= LONG_SHARE) return;
  const up = upBy(random);
  for (let left = 1 + up(MAX_LONG); left > 0; left -= 1) behaviours.set(up(items), 'long');
}

/** Rejects items at regular distances, starting in the first half. */
export function addRejects(behaviours: Map<number, ItemBehaviour>, items: number, random: () => number): void {
  if (random() >= REJECTING_SHARE) return;
  const up = upBy(random);
  const first = up(items / 2);
  const stride = 4 + up(10);
  for (let n = first; n < items; n += stride) if (!behaviours.has(n)) behaviours.set(n, 'reject');
}
