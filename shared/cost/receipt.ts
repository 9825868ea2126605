import { z } from 'zod';
import {
  addOperations,
  type Operations,
  operationsSchema,
  storageOperations,
  timesOperations,
} from '../contract/operations.ts';
import { MAX_RECEIVE } from '../contract/queue-limits.ts';
import {
  DURABLE_ACTION_ON_STORAGE,
  DURABLE_BACKENDS,
  DURABLE_STATUS_ON_STORAGE,
  type DurableBackend,
} from './deployed.ts';
import { type Priced, priceOperations } from './price.ts';
import type { PriceSheet } from './sheet.ts';

/** What a batch has spent. Both parts contain `functions.*` and `durable.*` if there were any. */
export interface ReceiptInput {
  operations: Operations;
  /** The estimate of its part of what its drains have spent. Defaults to nothing. */
  drainOperations?: Operations;
  items: number;
  backend: DurableBackend;
}

const operations = operationsSchema.describe('Billed operations by name, such as blob.put');
const number = z.number().nonnegative();

/** The bill of a batch, compared with what other designs would have spent on it. */
export const receiptSchema = z.object({
  operations: operations.describe('Counted: for this batch alone'),
  drainOperations: operations.describe(
    'Estimated: operations of its drains, which serve other batches as well, as if it had run alone and in one go',
  ),
  hostOperations: operations.describe('Estimated: operations of the Durable extension on Azure Storage'),
  backend: z.enum(DURABLE_BACKENDS).describe('The deployed durable backend'),
  actions: number.describe('Estimated: durable actions of its drains, 1 per orchestration start, 2 per activity'),
  executions: z
    .object({ count: number, gbSeconds: number })
    .describe('Estimated: function executions, as billed if no others run at the same time'),
  storageOperations: number.describe('The storage operations among the three counts above'),
  sheet: z.string(),
  currency: z.string(),
  byService: z.record(z.string(), number),
  totalUsd: number,
  unpriced: z.array(z.string()),
  unverified: z.array(z.string()).describe('Prices in the total whose source is not verified'),
  comparison: z.object({
    messagePerItem: z.object({ operations: number, usd: number, timesOurs: number.nullable() }),
    pollingThreadPerDay: z
      .object({ operations: number, usd: number })
      .describe('One thread that polls an empty queue once per second for a day'),
  }),
});
export type Receipt = z.infer<typeof receiptSchema> & Pick<Priced, 'unverified'>;

const SECONDS_PER_DAY = 24 * 60 * 60;

/**
 * Returns the operations of the baseline: one message per item, each put and deleted, and received 32 at a time. The white
 * paper counts a receive per message; full receives are the best that this design can do.
 */
export const messagePerItem = (items: number): Operations => ({
  'queue.put': items,
  'queue.get': Math.ceil(items / MAX_RECEIVE),
  'queue.delete': items,
});

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

/** Without requests to the durable runtime and executions. */
const counted = (operations: Operations): Operations =>
  Object.fromEntries(Object.entries(operations).filter(([name]) => !/^(functions|durable)\./.test(name)));

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
