/** Time in the model: it goes on by itself only when nobody has anything to do. */
import { SILENCE_MS } from '../../../shared/wake/gate/heartbeat.ts';
import type { World } from './world.ts';

/** The broker's clock against the service time that the app knows: a scheduled event may come this much too early. */
export const EARLY_MS = 1_500;

/** The world at a later time: leases that have run out are visible again. */
export const at = (world: World, now: number): World => ({
  ...world,
  now,
  messages: world.messages.map((message) =>
    typeof message.at === 'number' && message.at <= now ? { ...message, at: 'visible' } : message,
  ),
});

/** The world at the next scheduled event, or at the end of the next lease. */
export function passTime(world: World): World | undefined {
  const leases = world.messages.flatMap((message) => (typeof message.at === 'number' ? [message.at] : []));
  const times = [...world.scheduled.map((due) => due - EARLY_MS), ...leases].filter((due) => due > world.now);
  return times.length === 0 ? undefined : at(world, Math.min(...times));
}

/** The sweep wakes a queue that holds work, long after every limit. */
export const swept = (world: World): World => ({ ...at(world, world.now + 3 * SILENCE_MS), events: 1, swept: true });
