/**
 * The idle bill: everything that is billed for a deployment without work. `designLines` are the costs of Sluice's
 * design. `sharedLines` are costs that every design has in its own way, so comparisons omit them.
 */

import type { Operations } from '../contract/operations.ts';
import { createLedger, freeGrants, type Ledger, type Line, sumOf, unverifiedIn } from './bill-lines.ts';
import {
  alertRules,
  DAYS_PER_MONTH,
  type Deployment,
  instanceGb,
  PACKAGE_MB,
  privateNetwork,
  SECONDS_PER_HOUR,
} from './deployed.ts';
import { gbSecondsOf } from './price.ts';
import { type PriceClass, type PriceSheet, unitPrice } from './sheet.ts';

/**
 * Azure/azure-service-bus#407: about 1,500 management reads per hour on an idle namespace; assumed to be per
 * subscription.
 */
const SERVICE_BUS_READS_PER_HOUR = 1_500;
const MINUTES_PER_DAY = 24 * 60;
/** Retention, keys, old actions and old instances cause one more query each, once per day. */
const DAILY_SWEEP_QUERIES = 4;
/**
 * Azure/azure-webjobs-sdk-extensions, StorageScheduleMonitor and TimerListener: the status blob of a timer is written
 * after each firing. A host that was started for the firing also reads it and acquires the lease of the timer.
 */
const TIMER_STATUS = { 'blob.put': 1, 'blob.get': 1, 'blob.lease': 1 } as const;
/**
 * Log records of one firing: assumed, not measured. A firing usually finds no instance, so a host starts and logs about
 * a hundred lines of a kilobyte each, in addition to the request and the lines of the function.
 */
const LOG_KB_PER_FIRING = 100;
const KB_PER_GB = 1_000_000;
const MB_PER_GB = 1_000;

/**
 * The documented polling interval of Durable Functions' own queues. Source: learn.microsoft.com,
 * durable-functions-azure-storage-provider. For queues with a queue trigger no interval is documented, and the model
 * assumes the same.
 */
const SCALE_CONTROLLER_SECONDS = 10;

/**
 * Returns what the scale controller reads from this number of queues per month, with or without instances: one peek and
 * one read of the properties per interval (Azure/durabletask, DisconnectedPerformanceMonitor.cs).
 */
export function scaleControllerReads(queues: number): Operations {
  const pulses = (queues * DAYS_PER_MONTH * 24 * SECONDS_PER_HOUR) / SCALE_CONTROLLER_SECONDS;
  return { 'queue.peek': pulses, 'queue.properties': pulses };
}

/** Returns the firings of a timer per month, in all pools. */
const firingsOf = (pools: number, minutes: number): number =>
  minutes === 0 ? 0 : pools * Math.round((MINUTES_PER_DAY / minutes) * DAYS_PER_MONTH);

const allFirings = ({ pools, sweepMinutes, inboxMinutes }: Deployment): number =>
  firingsOf(pools, sweepMinutes) + firingsOf(pools, inboxMinutes);

/** Returns the management reads of Service Bus per month: they use a part of what the base fee includes. */
export const serviceBusReads = ({ pools }: Pick<Deployment, 'pools'>): number =>
  pools * SERVICE_BUS_READS_PER_HOUR * 24 * DAYS_PER_MONTH;

/** Returns the number of operations that the fee of Service Bus includes. Premium has no fee per operation. */
export const includedOperations = ({ isPrivate }: Pick<Deployment, 'isPrivate'>, sheet: PriceSheet): number =>
  isPrivate ? Number.POSITIVE_INFINITY : (unitPrice(sheet, 'servicebus.included') ?? 0);

function addServiceBus(ledger: Ledger, deployment: Deployment, sheet: PriceSheet): void {
  if (deployment.isPrivate)
    ledger.units('always', 'Service Bus', 'one messaging unit of the Premium tier, which private endpoints need', {
      priceClass: 'servicebus.premium',
      n: 1,
      fee: true,
    });
  else
    ledger.units('always', 'Service Bus', 'base fee of the Standard tier', {
      priceClass: 'servicebus.base',
      n: 1,
      fee: true,
    });
  const n = serviceBusReads(deployment);
  ledger.units('always', 'scale controller', 'message count of each wake subscription (part of the fee)', {
    priceClass: 'servicebus.operation',
    n,
    included: includedOperations(deployment, sheet),
  });
}

function addPolling(ledger: Ledger, { backend, pools, partitionCount }: Deployment): void {
  if (backend === 'dts') return;
  const queues = pools * (partitionCount + 1);
  ledger.operations(
    'always',
    'scale controller',
    `${queues} durable queues, 2 reads each, every 10 s`,
    scaleControllerReads(queues),
  );
}

function addTimers(ledger: Ledger, deployment: Deployment): void {
  const { pools, sweepMinutes, inboxMinutes } = deployment;
  const sweeps = firingsOf(pools, sweepMinutes);
  const firings = allFirings(deployment);
  ledger.operations(
    'always',
    'sweep timers',
    `open batches every ${sweepMinutes} min, and ${DAILY_SWEEP_QUERIES} queries per day, per pool`,
    { 'table.query': sweeps + pools * DAILY_SWEEP_QUERIES * DAYS_PER_MONTH },
  );
  ledger.operations('always', 'inbox timers', `list of the inbox every ${inboxMinutes} min, per pool`, {
    'blob.list': firingsOf(pools, inboxMinutes),
  });
  ledger.operations(
    'always',
    'Functions host',
    'status and lease of the timers (computed)',
    Object.fromEntries(Object.entries(TIMER_STATUS).map(([name, n]) => [name, n * firings])),
  );
  ledger.units('always', 'timers', 'executions', { priceClass: 'functions.execution', n: firings });
  ledger.units('always', 'timers', `GB-seconds: at least 1 s at ${instanceGb(deployment)} GB per execution`, {
    priceClass: 'functions.gbSecond',
    n: firings * gbSecondsOf(0, instanceGb(deployment)),
  });
}

function addAlwaysReady(ledger: Ledger, deployment: Deployment): void {
  const seconds = deployment.alwaysReady * 24 * SECONDS_PER_HOUR * DAYS_PER_MONTH;
  ledger.units('always', 'always-ready instances', `GB-seconds of ${deployment.alwaysReady}, busy or idle`, {
    priceClass: 'functions.alwaysReadyGbSecond',
    n: seconds * instanceGb(deployment),
  });
}

/**
 * Returns the costs of the design without work: Service Bus, the platform's polling, timers, always-ready instances.
 */
export function designLines(deployment: Deployment, sheet: PriceSheet): Line[] {
  const ledger = createLedger(sheet);
  addServiceBus(ledger, deployment, sheet);
  addPolling(ledger, deployment);
  addTimers(ledger, deployment);
  addAlwaysReady(ledger, deployment);
  return ledger.lines();
}

/** Returns the costs of alert rules, logs, packages and private networking, which every design has. */
export function sharedLines(deployment: Deployment, sheet: PriceSheet): Line[] {
  const ledger = createLedger(sheet);
  const { endpoints, zones } = privateNetwork(deployment);
  const { log, metric } = alertRules(deployment);
  const units = (who: string, does: string, priceClass: PriceClass, n: number) =>
    ledger.units('always', who, does, { priceClass, n });
  units('Azure Monitor', 'log alert rules, evaluated every 15 min', 'alert.log', log);
  units('Azure Monitor', 'time series of metric alert rules', 'alert.metric', metric);
  units(
    'Log Analytics',
    `GB of logs: ${LOG_KB_PER_FIRING} kB per timer execution (assumed)`,
    'log.gb',
    (allFirings(deployment) * LOG_KB_PER_FIRING) / KB_PER_GB,
  );
  units(
    'Blob Storage',
    `GB of deployment packages, ${PACKAGE_MB} MB per pool`,
    'storage.gbMonth',
    (deployment.pools * PACKAGE_MB) / MB_PER_GB,
  );
  units('Private Link', 'private endpoints', 'network.privateEndpoint', endpoints);
  units('Azure DNS', 'private zones', 'network.privateDnsZone', zones);
  return ledger.lines();
}

/** The whole bill of a month without work. */
export interface IdleBill {
  lines: Line[];
  /** Before free grants. */
  totalUsd: number;
  /** What the free grants subtract, if nothing else of the subscription uses them. */
  grantsUsd: number;
  /** The part that grows with the number of pools. */
  perPoolUsd: number;
  unverified: PriceClass[];
}

const allLines = (deployment: Deployment, sheet: PriceSheet): Line[] => [
  ...designLines(deployment, sheet),
  ...sharedLines(deployment, sheet),
];

/** Calculates everything that is billed for the deployment in a month without work. */
export function idleBill(deployment: Deployment, sheet: PriceSheet): IdleBill {
  const lines = allLines(deployment, sheet);
  const totalUsd = sumOf(lines);
  const onePoolMore = sumOf(allLines({ ...deployment, pools: deployment.pools + 1 }, sheet));
  return {
    lines,
    totalUsd,
    grantsUsd: freeGrants(lines, sheet),
    perPoolUsd: onePoolMore - totalUsd,
    unverified: unverifiedIn(lines, sheet),
  };
}
