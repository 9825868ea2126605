import type { QueueView } from '../api/types.ts';
import { formatClock, formatCount, formatNumberOf, formatPercent } from '../format.ts';

type Limits = NonNullable<QueueView['limits']>;

/**
 * Returns the limits of a queue as text: a wait for a share, the limits of the workload, throttling, and the holders of
 * shares.
 */
export function limitNotes({ waiting, rateLimit, maxConcurrency, lowered, heldUntil, holders }: Limits): string[] {
  return [
    ...(waiting === null ? [] : [`waits for a share since ${formatClock(waiting.since)}`]),
    ...(rateLimit === null ? [] : [`rate limit ${rateOf(rateLimit)}`]),
    ...throttlingOf(lowered, heldUntil),
    ...(maxConcurrency === null ? [] : [`at most ${formatNumberOf(maxConcurrency, 'item')} in flight`]),
    ...(holders === 0 ? [] : [`shared by ${formatNumberOf(holders, 'process', 'processes')}`]),
  ];
}

/** Returns a single note, because the column is narrow. */
function throttlingOf(lowered: Limits['lowered'], heldUntil: Limits['heldUntil']): string[] {
  const since = heldUntil === null && lowered !== null ? ` since ${formatClock(lowered.since)}` : '';
  const parts = [
    ...(lowered === null ? [] : [`lowered to ${formatPercent(lowered.factor)}${since}`]),
    ...(heldUntil === null ? [] : [`nothing starts until ${formatClock(heldUntil)}`]),
  ];
  return parts.length === 0 ? [] : [`throttled: ${parts.join(', ')}`];
}

/** A non-breaking space keeps the unit on the line of its number. */
const rateOf = (rate: NonNullable<Limits['rateLimit']>): string =>
  `${'calls' in rate ? formatNumberOf(rate.calls, 'call') : formatNumberOf(rate.items, 'item')}/${formatCount(rate.perSeconds)}\u00a0s`;
