/** What is known of the depths of queues. Pure. */
import type { QueueView } from '../api/types.ts';
import { formatAgo, formatCount, formatNumberOf } from '../format.ts';

/** A depth that was measured longer ago says nothing of now. */
const KNOWN_MS = 2 * 60_000;

type Measured = Pick<QueueView, 'depth' | 'depthAt'>;

/** Whether every queue is known to be empty: measured at most two minutes ago, without a message. */
export const areKnownEmpty = (queues: readonly Measured[], nowMs: number): boolean =>
  queues.every(({ depth, depthAt }) => depth === 0 && isKnown(depthAt, nowMs));

/** Whether a depth still says something of now. */
export const isKnown = (depthAt: string | null, nowMs: number): boolean =>
  depthAt !== null && nowMs - Date.parse(depthAt) <= KNOWN_MS;

/** How old the oldest of some depths is, in words. */
export function depthsAge(queues: readonly Measured[], nowMs: number): string {
  const times = queues.flatMap(({ depthAt }) => (depthAt === null ? [] : [depthAt])).sort();
  const unknown = queues.length - times.length;
  if (unknown > 0) return `${formatNumberOf(unknown, 'queue')} of ${formatCount(queues.length)} not measured yet`;
  return times[0] === undefined ? '' : `measured ${formatAgo(times[0], nowMs)}`;
}

/** Whether a queue changes by itself. What waits without a drain may wait for hours: for somebody, or below `notifyFrom`. */
export const isMoving = ({ status }: Pick<QueueView, 'status'>): boolean => status === 'draining';
