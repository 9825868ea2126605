/** The lines of Sluice's own month, beginning with those that are billed without batches in flight. */

import { createLedger, type Ledger, type Line } from '../../../shared/cost/bill-lines.ts';
import { DAYS_PER_MONTH, instanceGb, SECONDS_PER_HOUR } from '../../../shared/cost/deployed.ts';
import { DURABLE_ACTION_ON_STORAGE } from '../../../shared/cost/durable-backend.ts';
import { designLines, includedOperations, serviceBusReads } from '../../../shared/cost/idle-bill.ts';
import type { PriceSheet } from '../../../shared/cost/sheet.ts';
import { timesOperations } from '../../../shared/cost/times-operations.ts';
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

function addEvents(ledger: Ledger, parameters: MonthParameters, work: MonthOfWork, sheet: PriceSheet): void {
  const n = Object.entries(work.operations)
    .filter(isServiceBus)
    .reduce((sum, [, count]) => sum + count, 0);
  const included = Math.max(0, includedOperations(parameters, sheet) - serviceBusReads(parameters));
  ledger.units('work', 'app', 'events sent and received (after what the fee includes)', {
    priceClass: 'servicebus.operation',
    n,
    included,
  });
}

/** Returns the lines of the notification layer: the price for not polling the work queues. */
export function notificationLines(parameters: MonthParameters, work: MonthOfWork, sheet: PriceSheet): Line[] {
  const ledger = createLedger(sheet);
  addEvents(ledger, parameters, work, sheet);
  const isOfBus = ({ priceClass }: Line) => priceClass?.startsWith('servicebus.') === true;
  return [...designLines(parameters, sheet).filter(isOfBus), ...ledger.lines()];
}

function addDurable(ledger: Ledger, parameters: MonthParameters, work: MonthOfWork): void {
  const { backend, pools, partitionCount, idleHours } = parameters;
  if (backend === 'dts') {
    const units = { priceClass: 'durable.action', n: work.actions } as const;
    ledger.units('work', 'Durable Task Scheduler', 'actions; it pushes work and polls no storage', units);
    return;
  }
  const queues = pools * (partitionCount + 1);
  const upSeconds = (24 - idleHours) * SECONDS_PER_HOUR * DAYS_PER_MONTH;
  ledger.operations('work', 'running hosts', `get from ${queues} durable queues every ${DURABLE_POLL_SECONDS} s`, {
    'queue.get': Math.round((queues * upSeconds) / DURABLE_POLL_SECONDS),
  });
  ledger.operations('work', 'running hosts', 'lease of the partitions every 10 s', {
    'table.update': Math.round((pools * OPERATIONS_PER_LEASE * upSeconds) / LEASE_SECONDS),
  });
  ledger.operations(
    'work',
    'Durable extension',
    `messages and history of ${work.actions.toLocaleString('en-US')} actions (computed)`,
    timesOperations(DURABLE_ACTION_ON_STORAGE, work.actions),
  );
}

function addWork(ledger: Ledger, parameters: MonthParameters, work: MonthOfWork): void {
  const storage = Object.fromEntries(Object.entries(work.operations).filter((entry) => !isServiceBus(entry)));
  ledger.operations('work', 'app', `storage operations of ${work.batches.toLocaleString('en-US')} batches`, storage);
  ledger.units('work', 'app', 'executions: submits, wakes, episodes, activities', {
    priceClass: 'functions.execution',
    n: work.executions,
  });
  ledger.units(
    'work',
    'app',
    `GB-seconds: at least 1 s at ${instanceGb(parameters)} GB per execution, and handler time`,
    { priceClass: 'functions.gbSecond', n: work.gbSeconds },
  );
}

/** Returns all lines of Sluice's month that its design causes. */
export function sluiceLines(parameters: MonthParameters, work: MonthOfWork, sheet: PriceSheet): Line[] {
  const ledger = createLedger(sheet);
  addEvents(ledger, parameters, work, sheet);
  addDurable(ledger, parameters, work);
  addWork(ledger, parameters, work);
  return [...designLines(parameters, sheet), ...ledger.lines()];
}
