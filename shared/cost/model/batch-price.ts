/** One batch alone: operations, executions as billed, and its price on each durable backend. */
import { addOperations, type Operations } from '../../contract/operations.ts';
import { type BatchShape, batchSpending } from '../batch-operations.ts';
import { DURABLE_ACTION_ON_STORAGE, type DurableBackend, storageOperations, timesOperations } from '../counts.ts';
import { INSTANCE_GB, priceOperations } from '../price.ts';
import { type PriceClass, type PriceSheet, unitPrice, unverifiedOf } from '../sheet.ts';
import { type Deployment, instanceGb } from './deployed.ts';

/** Executions, and the GB-seconds they are billed for. */
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
 * The work of one batch alone, by its shape: what `batchSpending` counts, on instances of that memory.
 *
 * GB-seconds are an upper bound: Flex Consumption bills the time in which an instance executes anything, so executions
 * that share an instance at the same time share its GB-seconds, and here none does.
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

/** What one batch alone costs. */
export interface BatchPrice extends Executions {
  /** Of the app. */
  storageOperations: number;
  /** Of the Durable extension, computed from the actions; 0 on the Durable Task Scheduler. */
  hostOperations: number;
  actions: number;
  /** In the currency of the sheet, before what grants and base fees include; null: the sheet has no price for a part. */
  usd: number | null;
  unverified: PriceClass[];
}

/** Amounts of price classes beside operations. */
type Amounts = Partial<Record<PriceClass, number>>;

/** The price of operations and amounts together; null where a part has none. */
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

/** The operations of the Durable extension and the billed actions, for so many actions on that backend. */
export const durableShare = (actions: number, backend: DurableBackend): { operations: Operations; amounts: Amounts } =>
  backend === 'azureStorage'
    ? { operations: timesOperations(DURABLE_ACTION_ON_STORAGE, actions), amounts: {} }
    : { operations: {}, amounts: { 'durable.action': actions } };

/** One batch alone, on the backend of the deployment. */
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
