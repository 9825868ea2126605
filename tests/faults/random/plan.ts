/** The faults of one random run: a pure function of its seed, so that any run can be repeated. */
import { createRandom, drawFaults, type PlannedFault, type StorageCall } from 'functions-local';
import type { ItemBehaviour } from '../app/items.ts';
import { addLong, addRejects, addWaiting, behavioursOf, type Up, upBy } from './item-behaviours.ts';

/**
 * Faults of a whole part, which affect all concurrent runs. Instances are killed (SIGKILL), frozen (SIGSTOP, then
 * SIGCONT) and drained (SIGTERM), one at a time. `durableBefore` / `durableAfter`: the durable task hub's next change
 * fails before its effect, or its answer is lost. `holdDrain`: this run's drain stops permanently while its
 * orchestration reports that it is running. `stallInvocation`: one invocation exceeds functionTimeout,
 * which ends the process with all its other invocations.
 */
export const STACK_FAULTS = [
  'killInstance',
  'freezeInstance',
  'drainInstance',
  'killTaskHub',
  'killBroker',
  'freezeStorage',
  'cutStorage',
  'restartStorage',
  'durableBefore',
  'durableAfter',
  'holdDrain',
  'stallInvocation',
] as const;
export type StackFaultKind = (typeof STACK_FAULTS)[number];

export interface StackFault {
  kind: StackFaultKind;
  /** The instance, modulo their number. */
  instance: number;
  /** The storage call of the run at which it begins, and its duration. */
  at: number;
  ms: number;
}

/** How a pause ends. `resumedOnce`: the resume is requested once; a sweep or the next poll completes it. */
export const PAUSE_ENDS = ['resumed', 'resumedOnce', 'cancelled'] as const;

/** A pause by an operator. */
export interface PlannedPause {
  /**
   * The storage call of the run at which it begins. A pause with the same call as the previous one follows its resume
   * immediately.
   */
  at: number;
  /** From the pause to its end. */
  resumesAfterMs: number;
  end: (typeof PAUSE_ENDS)[number];
  /** Its storage call is counted from the request that ends the pause. */
  fault: StackFault | undefined;
}

/** What happens to a published wake event. `held`: passed on after the next one of its run. */
export const WAKE_DELIVERIES = ['passed', 'dropped', 'delayed', 'doubled', 'held'] as const;
export type WakeDelivery = (typeof WAKE_DELIVERIES)[number];

export interface RunPlan {
  seed: number;
  behaviours: ReadonlyMap<number, ItemBehaviour>;
  /** Faults of the run's storage calls, and of the messages (references and results) that it puts. */
  calls: readonly PlannedFault[];
  stack: StackFault | undefined;
  /** The n-th wake event of the run, from 0. */
  wake: (n: number) => { delivery: WakeDelivery; ms: number };
  /** Whether the same upload is sent a second time, at the same time. */
  submitsTwice: boolean;
  /** The storage call of the run at which its batch is cancelled; undefined means never. */
  cancelsAt: number | undefined;
  /** In order of their calls. */
  pauses: readonly PlannedPause[];
}

export interface PlanOptions {
  items: number;
  /** Omits faults that take ten minutes to be detected. */
  quick?: boolean;
}

/** Storage calls of a run of 20,000 items without faults; its repairs make additional calls. */
const USUAL_CALLS = 140;
/** Maximum faults of calls; a burst counts as one. */
const MAX_FAULTS = 4;
/** Share of the runs whose batch is cancelled, if it has not ended by then. */
const CANCELLED_SHARE = 0.12;
const PAUSED_SHARE = 0.3;
/** Shares of the pauses: those followed by another one, those with a fault at their end, and each way of ending. */
const PAUSED_AGAIN_SHARE = 0.3;
/** A resume that is requested once always has a fault. */
const PAUSE_FAULT_SHARE = 0.3;
/** Storage calls of a resume, and of concurrent work. */
const RESUME_CALLS = 14;
const PAUSE_END_SHARES = { cancelled: 0.12, resumedOnce: 0.3 };
const PAUSE_FAULTS = ['killInstance', 'killInstance', 'cutStorage', 'freezeStorage', 'drainInstance'] as const;
/** Half of the pauses are shorter than the wait of a retry, half may be longer. */
const PAUSE_MS = { short: 500, long: 5_000 };
const APART = 2 ** 30;
/** Messages that such a run puts. */
const USUAL_PUTS = 16;

/** Creates the plan of a seed. */
export function planOf(seed: number, { items, quick = false }: PlanOptions): RunPlan {
  const random = createRandom(seed);
  const up = upBy(random);
  const behaviours = addWaiting(behavioursOf(items, up), items, upBy(createRandom(-seed)));
  const calls = [...drawFaults(random, { calls: USUAL_CALLS, most: MAX_FAULTS }), ...repeatedPuts(up)];
  const stack = stackFault(random, up, quick);
  const submitsTwice = random() < 0.15;
  const cancelsAt = random() < CANCELLED_SHARE ? 1 + up(USUAL_CALLS) : undefined;
  // Drawn separately, so that a seed keeps its faults.
  const apart = createRandom(seed ^ APART);
  const pauses = pausesOf(apart);
  addRejects(behaviours, items, apart);
  addLong(behaviours, items, apart);
  return { seed, behaviours, calls, stack, submitsTwice, cancelsAt, pauses, wake: (n) => wakeDelivery(seed, n) };
}

/** Storage refuses a date that is wrong by 15 minutes. */
const MAX_CLOCK_OFFSET_SECONDS = 600;

const MAX_INSTANCES = 4;

/** The properties of a stack. */
export interface StackPlan {
  /**
   * Milliseconds by which the clock of each instance is ahead of the services'; negative means behind. One number per
   * instance.
   */
  clockOffsetsMs: readonly number[];
}

/** Creates the plan of the stack whose first run has this seed. */
export function stackPlanOf(seed: number): StackPlan {
  const random = createRandom(seed);
  const instances = 1 + upBy(random)(MAX_INSTANCES);
  const offsetMs = (): number => Math.round((2 * random() - 1) * MAX_CLOCK_OFFSET_SECONDS) * 1_000;
  return { clockOffsetsMs: Array.from({ length: instances }, offsetMs) };
}

function pausesOf(random: () => number): PlannedPause[] {
  if (random() >= PAUSED_SHARE) return [];
  const at = 1 + upBy(random)(USUAL_CALLS);
  const first = pauseAt(at, random);
  return random() < PAUSED_AGAIN_SHARE ? [first, pauseAt(at, random)] : [first];
}

function pauseAt(at: number, random: () => number): PlannedPause {
  const up = upBy(random);
  const resumesAfterMs = up(random() < 0.5 ? PAUSE_MS.short : PAUSE_MS.long);
  const chance = random();
  const { cancelled, resumedOnce } = PAUSE_END_SHARES;
  const end = chance < cancelled ? 'cancelled' : chance < cancelled + resumedOnce ? 'resumedOnce' : 'resumed';
  const kind = PAUSE_FAULTS[up(PAUSE_FAULTS.length)] ?? 'killInstance';
  const fault = { kind, instance: up(INSTANCE_DRAWS), ms: 200 + up(4_000), at: 1 + up(RESUME_CALLS) };
  const hasFault = random() < PAUSE_FAULT_SHARE || end === 'resumedOnce';
  return { at, resumesAfterMs, end, fault: hasFault ? fault : undefined };
}

const isPut = ({ service, method, path }: StorageCall): boolean =>
  service === 'queue' && method === 'POST' && path.includes('/messages?');

/** Messages that are put a second time, some of them after their batch has ended. */
function repeatedPuts(up: Up): PlannedFault[] {
  return Array.from({ length: up(4) }, () => {
    const n = 1 + up(USUAL_PUTS);
    return { fault: { kind: 'doubled', answer: 'first', ms: up(8_000) }, n, on: isPut };
  });
}

const STACK_CHANCES: readonly (readonly [StackFaultKind, number])[] = [
  ['killInstance', 0.05],
  ['freezeInstance', 0.06],
  ['drainInstance', 0.04],
  ['killTaskHub', 0.02],
  ['killBroker', 0.03],
  ['freezeStorage', 0.02],
  ['cutStorage', 0.03],
  ['restartStorage', 0.01],
  ['durableBefore', 0.05],
  ['durableAfter', 0.05],
  ['holdDrain', 0.008],
  ['stallInvocation', 0.03],
];

/**
 * Shortest and longest freeze of an instance. After the longest, every lease on its work has expired, including the
 * broker's.
 */
const FREEZE_MS = { least: 300, most: 40_000 };
/** Divisible by each number of instances. */
const INSTANCE_DRAWS = 12;

function stackFault(random: () => number, up: Up, quick: boolean): StackFault | undefined {
  let chance = random();
  const at = 1 + up(USUAL_CALLS);
  const ms = 200 + up(6_000);
  // Half of them are below 3.5 s; the lease on a message is 4 s.
  const freezeMs = Math.round(FREEZE_MS.least * (FREEZE_MS.most / FREEZE_MS.least) ** random());
  const instance = up(INSTANCE_DRAWS);
  for (const [kind, share] of STACK_CHANCES) {
    if (chance < share && quick && kind === 'holdDrain') return undefined;
    if (chance < share) return { kind, instance, at, ms: kind === 'freezeInstance' ? freezeMs : ms };
    chance -= share;
  }
  return undefined;
}

function wakeDelivery(seed: number, n: number): { delivery: WakeDelivery; ms: number } {
  const random = createRandom(seed * 1_009 + n + 1);
  const chance = random();
  const ms = Math.floor(random() * 4_000);
  if (chance < 0.06) return { delivery: 'dropped', ms };
  if (chance < 0.14) return { delivery: 'delayed', ms };
  if (chance < 0.2) return { delivery: 'doubled', ms };
  if (chance < 0.26) return { delivery: 'held', ms };
  return { delivery: 'passed', ms };
}
