/** Model time: it advances by itself only when no actor has anything to do. */
import { SILENCE_MS } from '../../../shared/gate/gate-row.ts';
import type { World } from './world.ts';

/**
 * The difference between the broker's clock and the service time of the app: a scheduled event may arrive this much too
 * early.
 */
export const EARLY_MS = 1_500;

/** Returns the world at a later time: messages with expired leases are visible again. */
export const at = (world: World, now: number): World => ({
  ...world,
  now,
  messages: world.messages.map((message) =>
    typeof message.at === 'number' && message.at <= now ? { ...message, at: 'visible' } : message,
  ),
});

/** Returns the world at the next scheduled event, or at the end of the next lease. */
export function passTime(world: World): World | undefined {
  const leases = world.messages.flatMap((message) => (typeof message.at === 'number' ? [message.at] : []));
  const times = [...world.scheduled.map((due) => due - EARLY_MS), ...leases].filter((due) => due > world.now);
  return times.length === 0 ? undefined : at(world, Math.min(...times));
}

/** The sweep wakes a queue with work, long after every limit. */
export const swept = (world: World): World => ({ ...at(world, world.now + 3 * SILENCE_MS), events: 1, swept: true });
