/** The idle bill. Comparisons with other designs contain only `designLines`: every design has the other costs in its own way. */

import { type Operations, timesOperations } from '../contract/operations.ts';
import { type Cause, type Line, priceLines } from './bill-lines.ts';
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

function serviceBus(deployment: Deployment, sheet: PriceSheet): Cause[] {
  const [does, priceClass] = deployment.isPrivate
    ? (['one messaging unit of the Premium tier, which private endpoints need', 'servicebus.premium'] as const)
    : (['base fee of the Standard tier', 'servicebus.base'] as const);
  return [
    { who: 'Service Bus', does, priceClass, n: 1, isFee: true },
    {
      who: 'scale controller',
      does: 'message count of each wake subscription (part of the fee)',
      priceClass: 'servicebus.operation',
      n: serviceBusReads(deployment),
      included: includedOperations(deployment, sheet),
    },
  ];
}

function polling({ backend, pools, partitionCount }: Deployment): Cause[] {
  if (backend === 'dts') return [];
  const queues = pools * (partitionCount + 1);
  const does = `${queues} durable queues, 2 reads each, every 10 s`;
  return [{ who: 'scale controller', does, operations: scaleControllerReads(queues) }];
}

function timers(deployment: Deployment): Cause[] {
  const { pools, sweepMinutes, inboxMinutes } = deployment;
  const firings = allFirings(deployment);
  const instance = instanceGb(deployment);
  return [
    {
      who: 'sweep timers',
      does: `open batches every ${sweepMinutes} min, and ${DAILY_SWEEP_QUERIES} queries per day, per pool`,
      operations: { 'table.query': firingsOf(pools, sweepMinutes) + pools * DAILY_SWEEP_QUERIES * DAYS_PER_MONTH },
    },
    {
      who: 'inbox timers',
      does: `list of the inbox every ${inboxMinutes} min, per pool`,
      operations: { 'blob.list': firingsOf(pools, inboxMinutes) },
    },
    {
      who: 'Functions host',
      does: 'status and lease of the timers (computed)',
      operations: timesOperations(TIMER_STATUS, firings),
    },
    { who: 'timers', does: 'executions', priceClass: 'functions.execution', n: firings },
    {
      who: 'timers',
      does: `GB-seconds: at least 1 s at ${instance} GB per execution`,
      priceClass: 'functions.gbSecond',
      n: firings * gbSecondsOf(0, instance),
    },
  ];
}

/**
 * Returns the costs of the design without work: Service Bus, the platform's polling, timers, always-ready instances.
 */
export function designLines(deployment: Deployment, sheet: PriceSheet): Line[] {
  const alwaysReady: Cause = {
    who: 'always-ready instances',
    does: `GB-seconds of ${deployment.alwaysReady}, busy or idle`,
    priceClass: 'functions.alwaysReadyGbSecond',
    n: deployment.alwaysReady * 24 * SECONDS_PER_HOUR * DAYS_PER_MONTH * instanceGb(deployment),
  };
  return priceLines(
    [...serviceBus(deployment, sheet), ...polling(deployment), ...timers(deployment), alwaysReady],
    sheet,
  );
}

/**
 * Returns everything that is billed for the deployment in a month without work, before free grants: the costs of the design, and
 * those of alert rules, logs, packages and private networking, which every design has.
 */
export function idleBill(deployment: Deployment, sheet: PriceSheet): Line[] {
  const { endpoints, zones } = privateNetwork(deployment);
  const { log, metric } = alertRules(deployment);
  const logs = `GB of logs: ${LOG_KB_PER_FIRING} kB per timer execution (assumed)`;
  const logGb = (allFirings(deployment) * LOG_KB_PER_FIRING) / KB_PER_GB;
  const packageGb = (deployment.pools * PACKAGE_MB) / MB_PER_GB;
  const causes: [who: string, does: string, priceClass: PriceClass, n: number][] = [
    ['Azure Monitor', 'log alert rules, evaluated every 15 min', 'alert.log', log],
    ['Azure Monitor', 'time series of metric alert rules', 'alert.metric', metric],
    ['Log Analytics', logs, 'log.gb', logGb],
    ['Blob Storage', `GB of deployment packages, ${PACKAGE_MB} MB per pool`, 'storage.gbMonth', packageGb],
    ['Private Link', 'private endpoints', 'network.privateEndpoint', endpoints],
    ['Azure DNS', 'private zones', 'network.privateDnsZone', zones],
  ];
  const shared = causes.map(([who, does, priceClass, n]) => ({ who, does, priceClass, n }));
  return [...designLines(deployment, sheet), ...priceLines(shared, sheet)];
}
