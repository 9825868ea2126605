/**
 * What `infra/` deploys, as far as it is billed without work. The defaults are those of infra/main.bicep and
 * infra/pools.json: tests/unit/cost/model/deployed.test.ts derives them from the templates.
 */
import type { DurableBackend } from '../counts.ts';

/** Memory sizes of a Flex Consumption instance in MB (learn: azure-functions/flex-consumption-plan). */
export const MEMORY_SIZES = [512, 2_048, 4_096] as const;
export type MemoryMb = (typeof MEMORY_SIZES)[number];

/** One deployment. */
export interface Deployment {
  /** Pools, each a function app of its own with a task hub, a subscription and timers. */
  pools: number;
  /** Memory of an instance of every pool. */
  memoryMb: MemoryMb;
  /** Instances that are kept warm, over all pools. */
  alwaysReady: number;
  backend: DurableBackend;
  /** Control queues of a task hub; host.json sets 1. */
  partitionCount: number;
  sweepMinutes: number;
  /** 0: the inbox is not watched. */
  inboxMinutes: number;
  hasAlerts: boolean;
  /** Service Bus Premium, private endpoints and private DNS zones. */
  isPrivate: boolean;
}

/** What `infra/` deploys when no parameter is given. */
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
/** Dead-lettered wakes, and the availability of both storage accounts; each pool's app has one more, for its errors. */
const SHARED_SERIES = 3;

/** The alert rules: log rules, and the time series that metric rules monitor. */
export const alertRules = ({
  hasAlerts,
  pools,
}: Pick<Deployment, 'hasAlerts' | 'pools'>): { log: number; metric: number } =>
  hasAlerts ? { log: LOG_RULES, metric: SHARED_SERIES + pools } : { log: 0, metric: 0 };

/** Blob, queue and table service of both storage accounts, and Service Bus; each pool's app has one more. */
const SHARED_ENDPOINTS = 7;
/** One zone per kind of service: blob, queue, table, Service Bus, web apps. */
const PRIVATE_ZONES = 5;

/** What a private deployment adds; nothing for a public one. */
export const privateNetwork = ({ isPrivate, pools }: Deployment): { endpoints: number; zones: number } =>
  isPrivate ? { endpoints: SHARED_ENDPOINTS + pools, zones: PRIVATE_ZONES } : { endpoints: 0, zones: 0 };

/** Size of the deployment package: `npm run package` prints it; each pool's app keeps a copy. */
export const PACKAGE_MB = 10;

/** Memory of an instance in GB, as it is billed. */
export const instanceGb = ({ memoryMb }: Pick<Deployment, 'memoryMb'>): number => memoryMb / 1_024;
