import { key } from '../api/http/key.ts';
import type { QueueView } from '../api/types.ts';

/** One look at all queues. `values` by queue; undefined stands for a pause in looking. */
export interface Sample {
  atSeconds: number;
  queues: Map<string, QueueView> | undefined;
}

const KEEP_SECONDS = 15 * 60;
/** Looks that lie further apart than this are not joined by a line. */
const GAP_SECONDS = 30;

let samples: Sample[] = [];

/** Adds a look at the queues; kept while the tab is open, at most a quarter of an hour. */
export function recordQueues(queues: readonly QueueView[], nowMs: number): void {
  const atSeconds = nowMs / 1_000;
  const last = samples.at(-1);
  if (last && last.atSeconds >= atSeconds) return;
  const gap =
    last && atSeconds - last.atSeconds > GAP_SECONDS ? [{ atSeconds: last.atSeconds + 1, queues: undefined }] : [];
  const look = { atSeconds, queues: new Map(queues.map((queue) => [queue.queue, queue])) };
  samples = [...samples.filter((sample) => sample.atSeconds > atSeconds - KEEP_SECONDS), ...gap, look];
}

/** All that is kept, oldest first. */
export const queueHistory = (): readonly Sample[] => samples;

// Whoever comes with another key may not see it.
key.subscribe(() => {
  samples = [];
});
