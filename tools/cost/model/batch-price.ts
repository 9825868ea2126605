/** One batch alone: operations, executions as billed, and its price on each durable backend. */
import {
  addOperations,
  type Operations,
  storageOperations,
  timesOperations,
} from '../../../shared/contract/operations.ts';
import { type BatchShape, batchSpending } from '../../../shared/cost/batch-operations.ts';
import {
  type Deployment,
  DURABLE_ACTION_ON_STORAGE,
  type DurableBackend,
  instanceGb,
} from '../../../shared/cost/deployed.ts';
import { INSTANCE_GB, priceOperations } from '../../../shared/cost/price.ts';
import { type PriceClass, type PriceSheet, unitPrice, unverifiedOf } from '../../../shared/cost/sheet.ts';

/** Executions, and the GB-seconds that are billed for them. */
export interface Executions {
  executions: number;
  gbSeconds: number;
}

/** The work of one batch: the operations of the app, durable actions, and executions as they are billed. */
export interface BatchWork extends Executions {
  operations: Operations;
  actions: number;
}

/**
 * Calculates the work of one batch alone from its shape: the counts of `batchSpending`, on instances with the given
 * memory.
 *
 * GB-seconds are an upper bound: Flex Consumption bills the time in which an instance executes anything, so executions
 * at the same time on an instance share its GB-seconds. Here, no execution shares an instance.
 */
export function batchWork(shape: BatchShape, memoryGb: number): BatchWork {
  const {
    'durable.action': actions = 0,
    'functions.execution': executions = 0,
    'functions.gbSecond': gbSeconds = 0,
    ...operations
  } = batchSpending(shape);
  return { operations, actions, executions, gbSeconds: (gbSeconds * memoryGb) / INSTANCE_GB };
}

/** The cost of one batch alone. */
export interface BatchPrice extends Executions {
  /** Operations of the app. */
  storageOperations: number;
  /** Operations of the Durable extension, calculated from the actions; 0 on the Durable Task Scheduler. */
  hostOperations: number;
  actions: number;
  /**
   * In the currency of the sheet, before what grants and base fees include. null means that the sheet has no price for
   * a part.
   */
  usd: number | null;
  unverified: PriceClass[];
}

/** Amounts of price classes other than operations. */
type Amounts = Partial<Record<PriceClass, number>>;

/** Returns the price of operations and amounts together, or null if a part has no price. */
export function priceOf(
  operations: Operations,
  amounts: Amounts,
  sheet: PriceSheet,
): { usd: number | null; unverified: PriceClass[] } {
  const priced = priceOperations(operations, sheet);
  const used = Object.entries(amounts).filter(([, n]) => n > 0) as [PriceClass, number][];
  const prices = used.map(([priceClass, n]) => [unitPrice(sheet, priceClass), n] as const);
  const isWhole = priced.unpriced.length === 0 && prices.every(([price]) => price !== null);
  const usd = prices.reduce((sum, [price, n]) => sum + (price ?? 0) * n, priced.totalUsd);
  const unverified = unverifiedOf(sheet, [...priced.unverified, ...used.map(([priceClass]) => priceClass)]);
  return { usd: isWhole ? usd : null, unverified };
}

/** Returns the operations of the Durable extension and the billed actions for this number of actions on the backend. */
export const durableShare = (actions: number, backend: DurableBackend): { operations: Operations; amounts: Amounts } =>
  backend === 'azureStorage'
    ? { operations: timesOperations(DURABLE_ACTION_ON_STORAGE, actions), amounts: {} }
    : { operations: {}, amounts: { 'durable.action': actions } };

/** Prices one batch alone, on the backend of the deployment. */
export function batchPrice(
  shape: BatchShape,
  deployment: Pick<Deployment, 'backend' | 'memoryMb'>,
  sheet: PriceSheet,
): BatchPrice {
  const { operations, actions, executions, gbSeconds } = batchWork(shape, instanceGb(deployment));
  const durable = durableShare(actions, deployment.backend);
  return {
    storageOperations: storageOperations(operations),
    hostOperations: storageOperations(durable.operations),
    actions,
    executions,
    gbSeconds,
    ...priceOf(
      addOperations(operations, durable.operations),
      { ...durable.amounts, 'functions.execution': executions, 'functions.gbSecond': gbSeconds },
      sheet,
    ),
  };
}
