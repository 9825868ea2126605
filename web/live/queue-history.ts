import { key } from '../api/key.ts';
import type { QueueView } from '../api/types.ts';

/** The state of all queues at one time, by queue; undefined `queues` marks a gap in polling. */
export interface Sample {
  atSeconds: number;
  queues: Map<string, QueueView> | undefined;
}

const KEEP_SECONDS = 15 * 60;
/** Samples that are further apart are not joined by a line. */
const GAP_SECONDS = 30;

let samples: Sample[] = [];

/** Adds a sample of the queues. Samples are kept while the tab is open, for at most 15 minutes. */
export function recordQueues(queues: readonly QueueView[], nowMs: number): void {
  const atSeconds = nowMs / 1_000;
  const last = samples.at(-1);
  if (last && last.atSeconds >= atSeconds) return;
  const gap =
    last && atSeconds - last.atSeconds > GAP_SECONDS ? [{ atSeconds: last.atSeconds + 1, queues: undefined }] : [];
  const sample = { atSeconds, queues: new Map(queues.map((queue) => [queue.queue, queue])) };
  samples = [...samples.filter((each) => each.atSeconds > atSeconds - KEEP_SECONDS), ...gap, sample];
}

/** Returns all samples, oldest first. */
export const queueHistory = (): readonly Sample[] => samples;

// The user of another key must not see the samples.
key.subscribe(() => {
  samples = [];
});
