/** One batch alone: operations, executions as billed, and its price on each durable backend. */
import { addOperations, type Operations } from '../../contract/operations.ts';
import { type BatchShape, batchActions, batchOperations, batchSpending, planOf } from '../batch-operations.ts';
import { DURABLE_ACTION_ON_STORAGE, type DurableBackend, storageOperations, timesOperations } from '../counts.ts';
import { gbSecondsOf, priceOperations } from '../price.ts';
import { type PriceClass, type PriceSheet, unitPrice, unverifiedOf } from '../sheet.ts';
import { type Deployment, instanceGb } from './deployed.ts';

/** Executions, and the GB-seconds they are billed for. */
export interface Executions {
  executions: number;
  gbSeconds: number;
}

/** The delays after the first three of the four empty gets at the end of a task: shared/drain, as in batch-operations.ts. */
const EMPTY_GETS_SECONDS = 1.1;

/**
 * The executions of one batch alone, as they are billed: as many as `batchSpending` counts. All but the dequeue tasks take
 * less than the second that is billed at least; a task takes the handler time and its empty gets, and the one on the
 * result queue as long as one on a work queue.
 *
 * GB-seconds are an upper bound: Flex Consumption bills the time in which an instance executes anything, so executions
 * that share an instance at the same time share its GB-seconds, and here none does.
 */
export function batchExecutions(shape: BatchShape, memoryGb: number): Executions {
  const { chunks, tasks } = planOf(shape);
  const { 'functions.execution': executions = 0 } = batchSpending(shape);
  const longer = tasks + 1;
  const taskSeconds = (chunks * (shape.secondsPerChunk ?? 0.1)) / tasks + EMPTY_GETS_SECONDS;
  return {
    executions,
    gbSeconds: (executions - longer) * gbSecondsOf(0, memoryGb) + longer * gbSecondsOf(taskSeconds, memoryGb),
  };
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
  const operations = batchOperations(shape);
  const actions = batchActions(shape);
  const durable = durableShare(actions, deployment.backend);
  const { executions, gbSeconds } = batchExecutions(shape, instanceGb(deployment));
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
