/** The lines of Sluice's own month: what is billed with no batch in flight comes first. */
import type { Operations } from '../../contract/operations.ts';
import { DURABLE_ACTION_ON_STORAGE, timesOperations } from '../counts.ts';
import { gbSecondsOf } from '../price.ts';
import { type PriceSheet, unitPrice } from '../sheet.ts';
import { createLedger, type Ledger, type Line } from './model-lines.ts';
import { DAYS_A_MONTH, type MonthParameters, SECONDS_AN_HOUR, scaleControllerReads } from './month-parameters.ts';

/** The batches of a month, added up. */
export interface MonthOfWork {
  operations: Operations;
  actions: number;
  batches: number;
}

/** Azure/azure-service-bus#407: about 1,500 management reads an hour on an idle namespace. */
const SERVICE_BUS_READS_AN_HOUR = 1_500;
const MINUTES_A_DAY = 24 * 60;
/** host.json: maxQueuePollingInterval. */
const DURABLE_POLL_SECONDS = 2;
/** Azure/durabletask AzureStorageOrchestrationServiceSettings.cs: each 10 s a read and a write of the partition table. */
const LEASE_SECONDS = 10;
const OPERATIONS_A_LEASE = 2;
/** Retention, keys, old actions and old instances take a query more each, once a day. */
const DAILY_SWEEP_QUERIES = 4;

const isServiceBus = ([name]: [string, number]): boolean => name.startsWith('servicebus.');

/** The lines of the notification layer: what it costs that nobody polls the work queues. */
export function notificationLines(work: MonthOfWork, sheet: PriceSheet): Line[] {
  const ledger = createLedger(sheet);
  const included = unitPrice(sheet, 'servicebus.included') ?? 0;
  const reads = SERVICE_BUS_READS_AN_HOUR * 24 * DAYS_A_MONTH;
  const events = Object.entries(work.operations)
    .filter(isServiceBus)
    .reduce((sum, [, n]) => sum + n, 0);
  const priceClass = 'servicebus.operation';
  ledger.units('always', 'Service Bus', 'base fee of the Standard tier', {
    priceClass: 'servicebus.base',
    n: 1,
    fee: true,
  });
  ledger.units(
    'always',
    'scale controller',
    'message count of the wake subscription (part of what the base includes)',
    {
      priceClass,
      n: reads,
      included,
    },
  );
  ledger.units('work', 'app', 'events sent and received (after what the base includes)', {
    priceClass,
    n: events,
    included: Math.max(0, included - reads),
  });
  return ledger.lines();
}

function addDurable(ledger: Ledger, { backend, partitionCount, idleHours }: MonthParameters, work: MonthOfWork): void {
  if (backend === 'dts') {
    const units = { priceClass: 'durable.action', n: work.actions } as const;
    ledger.units('work', 'Durable Task Scheduler', 'actions; it pushes work and polls no storage', units);
    return;
  }
  const queues = partitionCount + 1;
  const upSeconds = (24 - idleHours) * SECONDS_AN_HOUR * DAYS_A_MONTH;
  ledger.operations(
    'always',
    'scale controller',
    `${queues} durable queues, 2 reads each, every 10 s`,
    scaleControllerReads(queues),
  );
  ledger.operations('work', 'running host', `get from ${queues} durable queues each ${DURABLE_POLL_SECONDS} s`, {
    'queue.get': Math.round((queues * upSeconds) / DURABLE_POLL_SECONDS),
  });
  ledger.operations('work', 'running host', 'lease of the partitions each 10 s', {
    'table.update': Math.round((OPERATIONS_A_LEASE * upSeconds) / LEASE_SECONDS),
  });
  ledger.operations(
    'work',
    'Durable extension',
    `messages and history of ${work.actions} actions (computed)`,
    timesOperations(DURABLE_ACTION_ON_STORAGE, work.actions),
  );
}

function addTimers(ledger: Ledger, { sweepMinutes, inboxMinutes }: MonthParameters): void {
  const firings = (minutes: number) => (minutes === 0 ? 0 : Math.round((MINUTES_A_DAY / minutes) * DAYS_A_MONTH));
  const all = firings(sweepMinutes) + firings(inboxMinutes);
  ledger.operations(
    'always',
    'sweep timer',
    `open batches each ${sweepMinutes} min, and ${DAILY_SWEEP_QUERIES} queries a day`,
    {
      'table.query': firings(sweepMinutes) + DAILY_SWEEP_QUERIES * DAYS_A_MONTH,
    },
  );
  ledger.operations('always', 'inbox timer', `list of the inbox each ${inboxMinutes} min`, {
    'blob.list': firings(inboxMinutes),
  });
  ledger.units('always', 'timers', 'executions (before the free grant)', { priceClass: 'functions.execution', n: all });
  ledger.units('always', 'timers', 'GB-seconds, 1 s at 2 GB a firing (before the free grant)', {
    priceClass: 'functions.gbSecond',
    n: all * gbSecondsOf(0),
  });
}

function addWork(ledger: Ledger, work: MonthOfWork): void {
  const storage = Object.fromEntries(Object.entries(work.operations).filter((entry) => !isServiceBus(entry)));
  ledger.operations('work', 'app', `storage operations of ${work.batches} batches`, storage);
  // A submit a batch, and each action is at most one execution.
  const n = work.batches + work.actions;
  ledger.units('work', 'app', 'executions of submits and drains', { priceClass: 'functions.execution', n });
}

/** Every line of Sluice's month. */
export function sluiceLines(parameters: MonthParameters, work: MonthOfWork, sheet: PriceSheet): Line[] {
  const ledger = createLedger(sheet);
  addDurable(ledger, parameters, work);
  addTimers(ledger, parameters);
  addWork(ledger, work);
  return [...notificationLines(work, sheet), ...ledger.lines()];
}
