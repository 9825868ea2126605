import { addOperations, type Operations } from '../contract/operations.ts';
import { DURABLE_ACTION_ON_STORAGE, DURABLE_STATUS_ON_STORAGE, type DurableBackend } from './durable-backend.ts';
import { type Priced, priceOperations } from './price.ts';
import type { PriceSheet } from './sheet.ts';
import { messagePerItem, storageOperations, timesOperations } from './times-operations.ts';

/** What a batch has spent. Both parts contain `functions.*` and `durable.*` if there were any. */
export interface ReceiptInput {
  operations: Operations;
  /** The estimate of its part of what its drains have spent. Defaults to nothing. */
  drainOperations?: Operations;
  items: number;
  backend: DurableBackend;
}

/** The bill of a batch, compared with what other designs would have spent on it. */
export interface Receipt extends Priced {
  sheet: string;
  currency: string;
  items: number;
  backend: DurableBackend;
  /** For this batch alone: counted. */
  operations: Operations;
  /** Its part of what its drains have spent: estimated. */
  drainOperations: Operations;
  /** Operations of the Durable extension: calculated from the actions, not counted. */
  hostOperations: Operations;
  /** Durable actions: an orchestration start is 1, an activity 2. */
  actions: number;
  /** Executions of functions as they are billed: calculated. An upper bound. */
  executions: { count: number; gbSeconds: number };
  storageOperations: number;
  comparison: {
    messagePerItem: { operations: number; usd: number; timesOurs: number | null };
    /** One thread that polls an empty queue once per second for a day. */
    pollingThreadPerDay: { operations: number; usd: number };
  };
}

const SECONDS_PER_DAY = 24 * 60 * 60;

function comparisonOf(items: number, ours: number, sheet: PriceSheet): Receipt['comparison'] {
  const messages = messagePerItem(items);
  const operations = storageOperations(messages);
  return {
    messagePerItem: {
      operations,
      usd: priceOperations(messages, sheet).totalUsd,
      timesOurs: ours === 0 ? null : operations / ours,
    },
    pollingThreadPerDay: {
      operations: SECONDS_PER_DAY,
      usd: priceOperations({ 'queue.get': SECONDS_PER_DAY }, sheet).totalUsd,
    },
  };
}

/** Returns the operations that a meter has counted, without requests to the durable runtime and executions. */
const counted = (operations: Operations): Operations =>
  Object.fromEntries(Object.entries(operations).filter(([name]) => !/^(functions|durable)\./.test(name)));

/** Returns the storage operations of the Durable extension for these requests to it. */
const hostOperationsOf = (all: Operations): Operations =>
  addOperations(
    timesOperations(DURABLE_ACTION_ON_STORAGE, all['durable.action'] ?? 0),
    timesOperations(DURABLE_STATUS_ON_STORAGE, all['durable.status'] ?? 0),
  );

/** Creates the receipt of a batch, or of the sum of several, from the counts. Pure. */
export function receipt(input: ReceiptInput, sheet: PriceSheet): Receipt {
  const { operations, drainOperations = {}, items, backend } = input;
  const all = addOperations(operations, drainOperations);
  const { 'durable.action': actions = 0 } = all;
  const { 'functions.execution': count = 0, 'functions.gbSecond': gbSeconds = 0 } = all;
  const hostOperations = backend === 'azureStorage' ? hostOperationsOf(all) : {};
  const asked = addOperations(counted(all), hostOperations);
  const billed: Operations = {
    ...(count === 0 ? {} : { 'functions.execution': count, 'functions.gbSecond': gbSeconds }),
    ...(backend === 'dts' && actions > 0 ? { 'durable.action': actions } : {}),
  };
  const priced = priceOperations(addOperations(asked, billed), sheet);
  const ours = storageOperations(asked);
  return {
    sheet: sheet.name,
    currency: sheet.currency,
    items,
    backend,
    operations: counted(operations),
    drainOperations: counted(drainOperations),
    hostOperations,
    actions,
    executions: { count, gbSeconds },
    storageOperations: ours,
    ...priced,
    comparison: comparisonOf(items, ours, sheet),
  };
}
