/** The rule of the only task of a wave: how long it stays at its queue for new messages. Pure except for the given clock. */
import type { TaskWave } from '../gate/planning/plan.ts';

/**
 * Minimum time between two receives of the only task of a wave while the queue returns fewer messages than requested,
 * unless the policy has a longer interval. If messages arrive slowly, each receive then returns several of them, and
 * one result message and one wake serve them all.
 */
const PACE_MS = 500;
/**
 * How long the only task of a wave waits for more messages after it has reached its quota, measured from its start.
 * Ending one drain and starting the next costs eight operations. A receive costs one, and another one to read the gate
 * if it returns something. The time is limited because the task occupies a place that another queue may need.
 */
const STAY_MS = 5_000;
/**
 * Wait of a task that has received exactly the planned messages. It then receives once more: a batch that is alone pays
 * for one empty receive. A task that has received more than planned waits this long after an empty receive, and ends
 * after the second.
 */
const LAST_WAIT_MS = 1_000;

/**
 * Creates the rule for a task of `wave`. Probes and tasks with others beside them never stay: the other tasks have
 * their own quotas. The only task of a wave continues while the queue returns fewer messages than requested. If it
 * returns as many, the task ends, so that the next wave may have more tasks.
 */
export function createLoneTask({ tasks, probe = false, quota, depth }: TaskWave, nowMs: () => number) {
  const isAlone = tasks === 1 && !probe;
  const planned = Math.min(quota, depth);
  const startMs = nowMs();
  let received = 0;
  let returnedLess = false;
  return {
    /** Records the result of a receive of up to `asked` messages. */
    recordReceive: (brought: number, asked: number): void => {
      received += brought;
      returnedLess = isAlone && brought < asked;
    },
    mayStay: (): boolean => returnedLess && nowMs() - startMs < STAY_MS,
    /** Minimum time from the last receive that returned messages to the next one, in milliseconds. */
    paceMs: (): number => {
      if (!returnedLess) return 0;
      return received === planned ? LAST_WAIT_MS : PACE_MS;
    },
    /**
     * Wait after `idleCount` consecutive empty receives, in milliseconds; 'end' if the task waits no longer. Undefined
     * until all planned messages have arrived: until then the task backs off like any other.
     */
    idleMs: (idleCount: number): number | 'end' | undefined => {
      if (!isAlone || received === 0 || received < planned) return undefined;
      return received > planned && idleCount === 1 ? LAST_WAIT_MS : 'end';
    },
  };
}
