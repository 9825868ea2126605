/** Shares the activities of a pool among the waves of its queues. Pure. */

/** The present wave of another queue, and how many tasks its queue could use; Infinity if its wave is not planned yet. */
export interface OtherWave {
  tasks: number;
  wanted: number;
}

/**
 * Returns how many dequeue tasks of items may run in a pool at the same time. One of five activities is left for
 * collecting, for ends of waves, and for the one task that each queue has in any case. While these wait, the platform
 * starts the instances that the tasks do not need.
 */
export const plannedTasks = (capacity: number): number => Math.max(1, Math.floor((capacity * 4) / 5));

/**
 * Returns how many of `places` a queue may use beside `others`: not more than are free, and not more than its fair share
 * (max-min fairness: what a queue cannot use is divided among the others). A queue above its share shrinks with its next
 * wave, and the others then grow. Never less than one, so that each queue makes progress.
 */
export function shareOf(places: number, others: readonly OtherWave[]): number {
  let left = places;
  let queues = others.length + 1;
  for (const { wanted } of others.toSorted((a, b) => a.wanted - b.wanted)) {
    if (wanted >= left / queues) break;
    left -= wanted;
    queues -= 1;
  }
  const free = places - others.reduce((sum, { tasks }) => sum + tasks, 0);
  return Math.max(1, Math.min(Math.floor(left / queues), free));
}
