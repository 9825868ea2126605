/** What goes wrong in one random run: a pure function of its seed, so that any run can be had again. */
import { createRandom, pick } from '../../../demo/random.ts';
import type { ItemFate } from '../app/items.ts';

/**
 * Faults of one storage call. `refused`: no effect, no repeat; `lost`: effect, but the connection is cut before the
 * answer; `reset`: cut before any effect; `busy`: 503; `slow`: the call waits; `late`: its answer waits.
 */
export const CALL_FAULTS = ['refused', 'lost', 'reset', 'busy', 'slow', 'late'] as const;
export type CallFaultKind = (typeof CALL_FAULTS)[number];

export interface CallFault {
  kind: CallFaultKind;
  /** For what waits. */
  ms: number;
}

/**
 * Faults of a whole part, met by all runs under way. `durableBefore` / `durableAfter`: the durable backend's next change
 * fails before its effect / is not answered. `holdDrain`: this run's drain stops for good while its instance stays.
 */
export const STACK_FAULTS = [
  'killHost',
  'killBroker',
  'freezeStorage',
  'cutStorage',
  'restartStorage',
  'durableBefore',
  'durableAfter',
  'holdDrain',
] as const;
export type StackFaultKind = (typeof STACK_FAULTS)[number];

export interface StackFault {
  kind: StackFaultKind;
  /** At which storage call of the run, and for how long. */
  at: number;
  ms: number;
}

/** What becomes of a published wake event. `held`: passed on behind the next one of its run. */
export const WAKE_FATES = ['passed', 'dropped', 'delayed', 'doubled', 'held'] as const;
export type WakeFate = (typeof WAKE_FATES)[number];

export interface RunPlan {
  seed: number;
  fates: ReadonlyMap<number, ItemFate>;
  /** By the number of the run's storage call, from 1. */
  calls: ReadonlyMap<number, CallFault>;
  /** Messages (references and results) that are put a second time: by their number, from 1, after how long. */
  repeats: ReadonlyMap<number, number>;
  stack: StackFault | undefined;
  /** The n-th wake event of the run, from 0. */
  wake: (n: number) => { fate: WakeFate; ms: number };
  /** The same upload a second time, at once. */
  submitsTwice: boolean;
}

export interface PlanOptions {
  items: number;
  /** Leaves out what takes ten minutes to be found. */
  quick?: boolean;
}

/** Storage calls of a run of 20,000 items without faults; those of its repairs come on top. */
const USUAL_CALLS = 140;
const MAX_BURST = 7;
/** Messages that such a run puts. */
const USUAL_PUTS = 16;

/** The plan of a seed. */
export function planOf(seed: number, { items, quick = false }: PlanOptions): RunPlan {
  const random = createRandom(seed);
  const up = (below: number): number => Math.floor(random() * below);
  const fates = fatesOf(items, up);
  const calls = callFaults(random, up);
  const repeats = repeatedPuts(up);
  const stack = stackFault(random, up, quick);
  return { seed, fates, calls, repeats, stack, submitsTwice: random() < 0.15, wake: (n) => wakeFate(seed, n) };
}

type Up = (below: number) => number;

function fatesOf(items: number, up: Up): Map<number, ItemFate> {
  const fates = new Map<number, ItemFate>();
  const add = (fate: ItemFate, count: number): void => {
    for (let n = 0; n < count; n += 1) fates.set(up(items), fate);
  };
  add('once', up(9));
  add('never', up(4));
  add('reject', up(6));
  add('invalid', up(4));
  return fates;
}

function callFaults(random: () => number, up: Up): Map<number, CallFault> {
  const faults = new Map<number, CallFault>();
  for (let count = up(5); count > 0; count -= 1) {
    const kind = pick(CALL_FAULTS, random());
    const at = 1 + up(USUAL_CALLS);
    const ms = 300 + up(6_000);
    // Now and then a call fails together with what follows it, the SDK's own repeats among them.
    const burst = random() < 0.3 ? 1 + up(MAX_BURST) : 1;
    for (let n = 0; n < burst; n += 1) faults.set(at + n, { kind, ms });
  }
  return faults;
}

function repeatedPuts(up: Up): Map<number, number> {
  const repeats = new Map<number, number>();
  for (let count = up(4); count > 0; count -= 1) repeats.set(1 + up(USUAL_PUTS), up(8_000));
  return repeats;
}

const STACK_CHANCES: readonly (readonly [StackFaultKind, number])[] = [
  ['killHost', 0.05],
  ['killBroker', 0.03],
  ['freezeStorage', 0.02],
  ['cutStorage', 0.03],
  ['restartStorage', 0.01],
  ['durableBefore', 0.05],
  ['durableAfter', 0.05],
  ['holdDrain', 0.008],
];

function stackFault(random: () => number, up: Up, quick: boolean): StackFault | undefined {
  let chance = random();
  const at = 1 + up(USUAL_CALLS);
  const ms = 200 + up(6_000);
  for (const [kind, share] of STACK_CHANCES) {
    if (chance < share) return quick && kind === 'holdDrain' ? undefined : { kind, at, ms };
    chance -= share;
  }
  return undefined;
}

function wakeFate(seed: number, n: number): { fate: WakeFate; ms: number } {
  const random = createRandom(seed * 1_009 + n + 1);
  const chance = random();
  const ms = Math.floor(random() * 4_000);
  if (chance < 0.06) return { fate: 'dropped', ms };
  if (chance < 0.14) return { fate: 'delayed', ms };
  if (chance < 0.2) return { fate: 'doubled', ms };
  if (chance < 0.26) return { fate: 'held', ms };
  return { fate: 'passed', ms };
}
