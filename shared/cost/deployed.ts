/**
 * The part of what `infra/` deploys that is billed without work. The defaults are those of infra/main.bicep and
 * infra/pools.json: tests/unit/cost/deployed.test.ts derives them from the templates.
 */
import type { Operations } from '../contract/operations.ts';

/** Memory sizes of an instance in MB that infra/ deploys. */
export const MEMORY_SIZES = [2_048, 4_096] as const;
export type MemoryMb = (typeof MEMORY_SIZES)[number];

export const DURABLE_BACKENDS = ['azureStorage', 'dts'] as const;
export type DurableBackend = (typeof DURABLE_BACKENDS)[number];

export interface Deployment {
  /** Number of pools. Each is a separate function app with a task hub, a subscription and timers. */
  pools: number;
  memoryMb: MemoryMb;
  alwaysReady: number;
  backend: DurableBackend;
  /** Number of control queues per task hub; host.json sets 1. */
  partitionCount: number;
  sweepMinutes: number;
  /** 0 means that the inbox is not collected. */
  inboxMinutes: number;
  hasAlerts: boolean;
  /** Whether the deployment has Service Bus Premium, private endpoints and private DNS zones. */
  isPrivate: boolean;
}

/** The month of the sources: 79,200 polls per day = 2,376,000 per month. */
export const DAYS_PER_MONTH = 30;
export const SECONDS_PER_HOUR = 60 * 60;

export const DEFAULT_DEPLOYMENT: Deployment = {
  pools: 2,
  memoryMb: 2_048,
  alwaysReady: 0,
  backend: 'azureStorage',
  partitionCount: 1,
  sweepMinutes: 15,
  inboxMinutes: 10,
  hasAlerts: true,
  isPrivate: false,
};

/** One rule per severity of events, and one for the quota of the logs; each is evaluated every 15 minutes. */
const LOG_RULES = 4;
/**
 * Dead-lettered wake events, and the availability of both storage accounts. Each pool's app adds one, for its errors.
 */
const SHARED_SERIES = 3;

/** Returns the number of alert rules: log rules, and the time series that metric rules monitor. */
export const alertRules = ({
  hasAlerts,
  pools,
}: Pick<Deployment, 'hasAlerts' | 'pools'>): { log: number; metric: number } =>
  hasAlerts ? { log: LOG_RULES, metric: SHARED_SERIES + pools } : { log: 0, metric: 0 };

/** Blob, queue and table service of both storage accounts, and Service Bus. Each pool's app adds one. */
const SHARED_ENDPOINTS = 7;
/** One zone per kind of service: blob, queue, table, Service Bus, web apps. */
const PRIVATE_ZONES = 5;

/** Returns what a private deployment adds; zeros for a public one. */
export const privateNetwork = ({ isPrivate, pools }: Deployment): { endpoints: number; zones: number } =>
  isPrivate ? { endpoints: SHARED_ENDPOINTS + pools, zones: PRIVATE_ZONES } : { endpoints: 0, zones: 0 };

/** Size of the deployment package, as `npm run package` prints it. Each pool's app stores a copy. */
export const PACKAGE_MB = 10;

/** Returns the memory of an instance in GB, as it is billed. */
export const instanceGb = ({ memoryMb }: Pick<Deployment, 'memoryMb'>): number => memoryMb / 1_024;

/**
 * The operations of the Durable extension on Azure Storage for one action (a start is 1, an activity 2): a message put,
 * got and deleted, and two table operations. They are the mean of a drain with two activities: 5 messages, 3 episodes that
 * each read and append history and update the instance, 1 instance row. Calculated from Azure/durabletask
 * AzureStorageOrchestrationService.cs, not measured: the extension's requests do not pass through our meter.
 */
export const DURABLE_ACTION_ON_STORAGE: Operations = {
  'queue.put': 1,
  'queue.get': 1,
  'queue.delete': 1,
  'table.query': 1,
  'table.transaction': 1,
};

/** The operations of the Durable extension on Azure Storage to read the status of an orchestration; also calculated. */
export const DURABLE_STATUS_ON_STORAGE: Operations = { 'table.query': 1 };
