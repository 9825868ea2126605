/** The lines of Sluice's own month, beginning with those that are billed without batches in flight. */

import { timesOperations } from '../../../shared/contract/operations.ts';
import { type Cause, type Line, priceLines } from '../../../shared/cost/bill-lines.ts';
import {
  DAYS_PER_MONTH,
  DURABLE_ACTION_ON_STORAGE,
  instanceGb,
  SECONDS_PER_HOUR,
} from '../../../shared/cost/deployed.ts';
import { designLines, includedOperations, serviceBusReads } from '../../../shared/cost/idle-bill.ts';
import type { PriceSheet } from '../../../shared/cost/sheet.ts';
import type { BatchWork } from './batch-price.ts';
import type { MonthParameters } from './month-parameters.ts';

/** The sum of the batches of a month. */
export interface MonthOfWork extends BatchWork {
  batches: number;
}

/** Interval between two gets from an empty durable queue; host.json: maxQueuePollingInterval. */
export const DURABLE_POLL_SECONDS = 0.9;
/**
 * Every 10 s, a read and a write of the partition table. Source: Azure/durabletask,
 * AzureStorageOrchestrationServiceSettings.cs.
 */
const LEASE_SECONDS = 10;
const OPERATIONS_PER_LEASE = 2;

const isServiceBus = ([name]: [string, number]): boolean => name.startsWith('servicebus.');

function events(parameters: MonthParameters, work: MonthOfWork, sheet: PriceSheet): Cause {
  const n = Object.entries(work.operations)
    .filter(isServiceBus)
    .reduce((sum, [, count]) => sum + count, 0);
  const included = Math.max(0, includedOperations(parameters, sheet) - serviceBusReads(parameters));
  const does = 'events sent and received (after what the fee includes)';
  return { when: 'work', who: 'app', does, priceClass: 'servicebus.operation', n, included };
}

/** Returns the lines of the notification layer: the price for not polling the work queues. */
export function notificationLines(parameters: MonthParameters, work: MonthOfWork, sheet: PriceSheet): Line[] {
  const isOfBus = ({ priceClass }: Line) => priceClass?.startsWith('servicebus.') === true;
  return [...designLines(parameters, sheet).filter(isOfBus), ...priceLines([events(parameters, work, sheet)], sheet)];
}

function durable({ backend, pools, partitionCount, idleHours }: MonthParameters, { actions }: MonthOfWork): Cause[] {
  if (backend === 'dts') {
    const does = 'actions; it pushes work and polls no storage';
    return [{ when: 'work', who: 'Durable Task Scheduler', does, priceClass: 'durable.action', n: actions }];
  }
  const queues = pools * (partitionCount + 1);
  const upSeconds = (24 - idleHours) * SECONDS_PER_HOUR * DAYS_PER_MONTH;
  return [
    {
      when: 'work',
      who: 'running hosts',
      does: `get from ${queues} durable queues every ${DURABLE_POLL_SECONDS} s`,
      operations: { 'queue.get': Math.round((queues * upSeconds) / DURABLE_POLL_SECONDS) },
    },
    {
      when: 'work',
      who: 'running hosts',
      does: 'lease of the partitions every 10 s',
      operations: { 'table.update': Math.round((pools * OPERATIONS_PER_LEASE * upSeconds) / LEASE_SECONDS) },
    },
    {
      when: 'work',
      who: 'Durable extension',
      does: `messages and history of ${actions.toLocaleString('en-US')} actions (computed)`,
      operations: timesOperations(DURABLE_ACTION_ON_STORAGE, actions),
    },
  ];
}

function batches(parameters: MonthParameters, work: MonthOfWork): Cause[] {
  return [
    {
      when: 'work',
      who: 'app',
      does: `storage operations of ${work.batches.toLocaleString('en-US')} batches`,
      operations: Object.fromEntries(Object.entries(work.operations).filter((entry) => !isServiceBus(entry))),
    },
    {
      when: 'work',
      who: 'app',
      does: 'executions: submits, wakes, episodes, activities',
      priceClass: 'functions.execution',
      n: work.executions,
    },
    {
      when: 'work',
      who: 'app',
      does: `GB-seconds: at least 1 s at ${instanceGb(parameters)} GB per execution, and handler time`,
      priceClass: 'functions.gbSecond',
      n: work.gbSeconds,
    },
  ];
}

/** Returns all lines of Sluice's month that its design causes. */
export const sluiceLines = (parameters: MonthParameters, work: MonthOfWork, sheet: PriceSheet): Line[] => [
  ...designLines(parameters, sheet),
  ...priceLines([events(parameters, work, sheet), ...durable(parameters, work), ...batches(parameters, work)], sheet),
];
