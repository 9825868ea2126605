import {
  isLaneName,
  isPoolName,
  isWorkloadName,
  MAX_QUEUE_NAME,
  queueName,
  resultsQueueName,
} from '../contract/names.ts';
import { MAX_DELAY_SECONDS } from '../contract/queue-limits.ts';
import { isOwnContainerName } from './container.ts';
import { WorkloadDefinitionError } from './errors.ts';
import type { Workload } from './workload-options.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const DAY_SECONDS = 86_400;
const MAX_RATE = 100_000_000;
/** For a lower rate, the workload's owner should submit one batch per hour or day. */
const SLOWEST_SECONDS = 60;
/** Limit of `secondsPerChunk`; the default that is derived from `concurrency` must not exceed it either. */
export const MAX_SECONDS_PER_CHUNK = 600;

type Fail = (field: string, expected: string, got: unknown) => never;

/**
 * Checks a workload whose defaults are filled in.
 * @throws WorkloadDefinitionError for the first invalid field.
 */
export function checkDefinition(workload: Workload): void {
  const fail: Fail = (field, expected, got) => {
    throw new WorkloadDefinitionError(
      `Workload ${JSON.stringify(workload.name)}: ${field} must be ${expected}, got ${JSON.stringify(got)}.`,
    );
  };
  if (!isWorkloadName(workload.name)) fail('name', 'lower-case words joined by dashes', workload.name);
  if (!isPoolName(workload.pool)) fail('pool', 'a lower-case word of at most 20 characters', workload.pool);
  if ((workload.map === undefined) === (workload.mapChunk === undefined))
    fail('either map or mapChunk', 'specified', 'both or none');
  // Limits before sizes: the default sizes are derived from the limits.
  checkLimits(workload, fail);
  if (workload.map !== undefined && workload.group.maxItems !== workload.chunk.maxItems)
    fail('group', 'absent without mapChunk', workload.group);
  if (workload.lanes.length === 0) fail('lanes', 'at least one lane', workload.lanes);
  for (const lane of workload.lanes) checkLane(workload, lane, fail);
  for (const container of workload.containers) {
    if (!isOwnContainerName(container)) fail('containers', 'valid container names that are not reserved', container);
  }
  const { repeatedContent } = workload.inbox;
  if (repeatedContent !== 'report' && repeatedContent !== 'refuse')
    fail('inbox.repeatedContent', "'report' or 'refuse'", repeatedContent);
  if ('attempts' in workload) fail('attempts', 'specified as retry.attempts', workload.attempts);
  for (const [field, [value, min, max]] of Object.entries(ranges(workload))) {
    const whole = !FRACTIONS.has(field);
    if (!(value >= min && value <= max) || (whole && !Number.isInteger(value))) fail(field, `${min} to ${max}`, value);
  }
}

function checkLimits({ rateLimit, maxConcurrency, map, group }: Workload, fail: Fail): void {
  const perCall = map === undefined ? group.maxItems : 1;
  if (maxConcurrency !== undefined && !isWhole(maxConcurrency, perCall, 1_000_000))
    fail('maxConcurrency', `a whole number of items, at least ${perCall} as in one call`, maxConcurrency);
  if (rateLimit === undefined) return;
  const { items, calls, perSeconds } = rateLimit as { items?: unknown; calls?: unknown; perSeconds: unknown };
  if ((items === undefined) === (calls === undefined))
    fail('rateLimit', 'specified in either items or calls', rateLimit);
  if (items === undefined && !isWhole(calls, 1, MAX_RATE))
    fail('rateLimit.calls', `a whole number, 1 to ${MAX_RATE}`, calls);
  if (calls === undefined && !isWhole(items, perCall, MAX_RATE))
    fail('rateLimit.items', `a whole number, at least ${perCall} as in one call`, items);
  if (!isWhole(perSeconds, 1, DAY_SECONDS))
    fail('rateLimit.perSeconds', `a whole number, 1 to ${DAY_SECONDS}`, perSeconds);
  // A dequeue task collects permits only while it has work: at a slower rate it would rarely collect a whole one.
  if (Number(items ?? calls) * SLOWEST_SECONDS < Number(perSeconds))
    fail('rateLimit', `at least one per ${SLOWEST_SECONDS} seconds`, rateLimit);
}

const isWhole = (value: unknown, min: number, max: number): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;

function checkLane(workload: Workload, lane: string, fail: Fail): void {
  if (!isLaneName(lane)) fail('lanes', 'lower-case words, not "results" or "poison"', lane);
  const longest = [queueName(workload.name, lane, workload.queuesPerLane - 1), resultsQueueName(workload.name)];
  if (longest.some((name) => name.length > MAX_QUEUE_NAME))
    fail('name', `short enough for queue names of at most ${MAX_QUEUE_NAME} characters`, longest[0]);
}

const FRACTIONS = new Set([
  ...['secondsPerChunk', 'timeoutSeconds'],
  ...['retry.firstDelaySeconds', 'retry.factor', 'retry.maxDelaySeconds', 'retry.jitter', 'halt.deadShare'],
]);

const ranges = (workload: Workload): Record<string, [value: number, min: number, max: number]> => ({
  version: [workload.version, 1, 1_000_000],
  'chunk.maxItems': [workload.chunk.maxItems, 1, 100_000],
  concurrency: [workload.concurrency, 1, 1_000],
  'group.maxItems': [workload.group.maxItems, 1, 100_000],
  'chunk.maxBytes': [workload.chunk.maxBytes, KiB, 16 * MiB],
  'retry.attempts': [workload.retry.attempts, 1, 100],
  'retry.firstDelaySeconds': [workload.retry.firstDelaySeconds, 0, MAX_DELAY_SECONDS],
  'retry.factor': [workload.retry.factor, 1, 10],
  'retry.maxDelaySeconds': [workload.retry.maxDelaySeconds, workload.retry.firstDelaySeconds, MAX_DELAY_SECONDS],
  'retry.jitter': [workload.retry.jitter, 0, 1],
  ...(workload.halt === undefined
    ? {}
    : { 'halt.deadShare': [workload.halt.deadShare, 0, 1], 'halt.after': [workload.halt.after, 1, 1_000_000_000] }),
  timeoutSeconds: [workload.timeoutSeconds, 0.05, 540],
  secondsPerChunk: [workload.secondsPerChunk, 0.0001, MAX_SECONDS_PER_CHUNK],
  queuesPerLane: [workload.queuesPerLane, 1, 32],
  deadlineSeconds: [workload.deadlineSeconds, 1, 7 * DAY_SECONDS],
  retentionDays: [workload.retentionDays, 1, 3_650],
});
