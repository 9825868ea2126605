import type { QueueView } from '../api/types.ts';
import { formatClock, formatCount, formatNumberOf, formatPercent } from '../format.ts';

type Limits = NonNullable<QueueView['limits']>;

/** The limits of a queue in words: what it waits for, what the workload says, how far it is lowered, who has a share. */
export function limitNotes({ waiting, rateLimit, maxConcurrency, lowered, heldUntil, holders }: Limits): string[] {
  return [
    ...(waiting === null ? [] : [`waits for a share since ${formatClock(waiting.since)}`]),
    ...(rateLimit === null ? [] : [`rate limit ${rateOf(rateLimit)}`]),
    ...throttlingOf(lowered, heldUntil),
    ...(maxConcurrency === null ? [] : [`at most ${formatNumberOf(maxConcurrency, 'item')} in flight`]),
    ...(holders === 0 ? [] : [`shared by ${formatNumberOf(holders, 'process', 'processes')}`]),
  ];
}

/** One note: the column is narrow. */
function throttlingOf(lowered: Limits['lowered'], heldUntil: Limits['heldUntil']): string[] {
  const since = heldUntil === null && lowered !== null ? ` since ${formatClock(lowered.since)}` : '';
  const parts = [
    ...(lowered === null ? [] : [`lowered to ${formatPercent(lowered.factor)}${since}`]),
    ...(heldUntil === null ? [] : [`nothing starts until ${formatClock(heldUntil)}`]),
  ];
  return parts.length === 0 ? [] : [`throttled: ${parts.join(', ')}`];
}

/** The unit stays on the line of its number. */
const rateOf = (rate: NonNullable<Limits['rateLimit']>): string =>
  `${'calls' in rate ? formatNumberOf(rate.calls, 'call') : formatNumberOf(rate.items, 'item')}/${formatCount(rate.perSeconds)}\u00a0s`;
