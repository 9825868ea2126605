/** The invariants of every world, and the additional ones of a world without further steps. */
import { presentPause } from '../../../shared/gate/gate-row.ts';
import { EARLY_MS } from './time.ts';
import { type Actor, gateOf, hasDeadDrain, leftover, owns, type World } from './world.ts';

/** More store calls than a wake needs, unless other writers change the gate before each of its updates. */
const MAX_WAKE_STEPS = 30;

export function check(world: World, rest: boolean): string | undefined {
  if (world.broken !== undefined) return world.broken;
  if (world.actors.some(isChasing)) return 'livelock: a wake never finishes';
  if (twoDrains(world)) return 'two drains: two slices work on the queue at once';
  if (isQuiet(world) && leftover(world) && !world.swept && !hasDeadDrain(world)) {
    return 'lost wake: a message is left, the gate serves nobody, and nothing is under way';
  }
  if (isParkedOverWork(world)) return 'visible message behind a parked gate whose wake was counted';
  if (rest && leftover(world)) return 'stuck: a message is left although the sweep has woken the queue';
  return undefined;
}

const isChasing = ({ kind, point }: Actor): boolean =>
  (kind === 'waker' || kind === 'sweeper') && point.steps > MAX_WAKE_STEPS;

export const isQuiet = ({ actors, events, scheduled }: World): boolean =>
  actors.length === 0 && events === 0 && scheduled.length === 0;

/**
 * All wakes are counted, and the queue waits for a scheduled wake although a visible message was never received. Only
 * a pause, an open circuit, and a drain that released its gate after a failure, may wait.
 */
function isParkedOverWork({ actors, events, scheduled, messages, rows, gaveUp, now }: World): boolean {
  if (actors.length > 0 || events > 0 || scheduled.length === 0) return false;
  // A scheduled wake that is due is on its way, like an event.
  if (scheduled.some((due) => due - EARLY_MS <= now)) return false;
  const { status, paused } = gateOf(rows);
  if (status !== 'idle' || presentPause({ paused }, now) !== undefined || gaveUp) return false;
  return messages.some(({ at, deliveries }) => at === 'visible' && deliveries === 0);
}

/**
 * Impossible without a fault. After one, a superseded drain may finish its current slice, but two drains never own the
 * gate.
 */
function twoDrains({ actors, rows, faulty }: World): boolean {
  const inside = actors.filter((actor) => actor.inside);
  if (!faulty) return inside.length > 1;
  const owners = inside.filter((actor) => !actor.zombie && owns(rows, actor.generation));
  return owners.length > 1;
}
