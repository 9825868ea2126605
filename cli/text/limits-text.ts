import type { LimitsView } from '../../shared/http/queues/schemas.ts';
import { formatCount, formatNumber, formatTime } from './format.ts';

/** Describes the limits of a queue: those of the workload, how much they are lowered, and how many processes share them. */
export function limitsText({ rateLimit, maxConcurrency, lowered, heldUntil, holders }: LimitsView): string[] {
  return [
    ...(rateLimit === null ? [] : [`rate limit ${rateText(rateLimit)}`]),
    ...(lowered === null
      ? []
      : [`lowered to ${percentOf(lowered.factor)} since ${formatTime(lowered.since)} (throttled)`]),
    ...(heldUntil === null ? [] : [`nothing starts until ${formatTime(heldUntil)} (throttled)`]),
    ...(maxConcurrency === null ? [] : [`at most ${formatNumber(maxConcurrency, 'item')} in flight`]),
    ...(holders === 0 ? [] : [`shared by ${holders === 1 ? '1 process' : `${formatCount(holders)} processes`}`]),
  ];
}

const rateText = (rate: NonNullable<LimitsView['rateLimit']>): string =>
  `${'calls' in rate ? formatNumber(rate.calls, 'call') : formatNumber(rate.items, 'item')}/${formatCount(rate.perSeconds)} s`;

const percentOf = (factor: number): string => `${Math.round(factor * 100)} %`;
