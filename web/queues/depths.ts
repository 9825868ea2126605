import type { QueueView } from '../api/types.ts';
import { formatAgo, formatCount, formatNumberOf } from '../format.ts';

/** An older measurement is not current. */
const KNOWN_MS = 2 * 60_000;

type Measured = Pick<QueueView, 'depth' | 'depthAt'>;

/** Whether all queues are empty according to measurements of the last two minutes. */
export const areKnownEmpty = (queues: readonly Measured[], nowMs: number): boolean =>
  queues.every(({ depth, depthAt }) => depth === 0 && isKnown(depthAt, nowMs));

/** Whether a depth is still current. */
export const isKnown = (depthAt: string | null, nowMs: number): boolean =>
  depthAt !== null && nowMs - Date.parse(depthAt) <= KNOWN_MS;

/** Returns the age of the oldest of some depths, as text. */
export function depthsAge(queues: readonly Measured[], nowMs: number): string {
  const times = queues.flatMap(({ depthAt }) => (depthAt === null ? [] : [depthAt])).sort();
  const unknown = queues.length - times.length;
  if (unknown > 0) return `${formatNumberOf(unknown, 'queue')} of ${formatCount(queues.length)} not measured yet`;
  return times[0] === undefined ? '' : `measured ${formatAgo(times[0], nowMs)}`;
}

/**
 * Whether a queue changes by itself. Without a drain, messages may wait for hours: for an operator, or below
 * `notifyFrom`.
 */
export const isMoving = ({ status }: Pick<QueueView, 'status'>): boolean => status === 'draining';
