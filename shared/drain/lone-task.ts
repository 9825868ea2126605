/** The rule of the only task of a wave: how it stays at its queue for what comes in meanwhile. Pure but for the clock it is given. */
import type { TaskWave } from './planning/plan.ts';

/**
 * Shortest time between two receives of the only task of a wave while the queue returns less than it was asked for,
 * unless the policy's interval is longer. A trickle is taken some at a time, and each receive, result message and wake
 * serves them all.
 */
const PACE_MS = 500;
/**
 * How long the only task of a wave that is through with its quota waits for more, from its start: ending one drain and
 * starting the next costs eight operations, a receive one, and a look at the gate when it brings something. Not longer,
 * for it holds a place that another queue may want.
 */
const STAY_MS = 5_000;
/**
 * A task to which nothing has come but what was planned waits so long for more, and looks once: a batch that is alone pays
 * for one empty receive. One that has met a trickle waits so long after an empty receive, and ends after the second.
 */
const LAST_LOOK_MS = 1_000;

/** What a task has to know of the rule. */
export interface LoneTask {
  /** Notes what a receive of `asked` messages has brought. */
  noteReceive: (received: number, asked: number) => void;
  /** Whether it goes on beyond its quota. */
  mayStay: () => boolean;
  /** Shortest time from the last receive that brought something to the next, in milliseconds. */
  paceMs: () => number;
  /**
   * Wait after `idleCount` empty receives in a row, in milliseconds; 'end': it waits no more. Undefined while what was planned
   * for it has not all come: then it backs off as any task.
   */
  idleMs: (idleCount: number) => number | 'end' | undefined;
}

/**
 * Makes the rule for a task of `wave`. A task of several, and a probe, never stay: their rivals have quotas of their own. The
 * only one has no rivals: it goes on, at a pace, for as long as the queue gives less than it takes at a time; if not, the next
 * wave may be wider.
 */
export function createLoneTask({ tasks, probe = false, quota, depth }: TaskWave, nowMs: () => number): LoneTask {
  const isAlone = tasks === 1 && !probe;
  const planned = Math.min(quota, depth);
  const startMs = nowMs();
  let received = 0;
  let gaveLess = false;
  return {
    noteReceive: (brought, asked) => {
      received += brought;
      gaveLess = isAlone && brought < asked;
    },
    mayStay: () => gaveLess && nowMs() - startMs < STAY_MS,
    paceMs: () => {
      if (!gaveLess) return 0;
      return received === planned ? LAST_LOOK_MS : PACE_MS;
    },
    idleMs: (idleCount) => {
      if (!isAlone || received === 0 || received < planned) return undefined;
      return received > planned && idleCount === 1 ? LAST_LOOK_MS : 'end';
    },
  };
}
