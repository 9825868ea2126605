/** What a batch has spent, compared with other designs. */
import { addOperations, type Operations } from '../contract/operations.ts';
import { DURABLE_ACTION_ON_STORAGE, DURABLE_STATUS_ON_STORAGE, type DurableBackend } from './durable-backend.ts';
import { type Priced, priceOperations } from './price.ts';
import { type PriceClass, type PriceSheet, unitPrice } from './sheet.ts';
import { messagePerItem, storageOperations, timesOperations } from './times-operations.ts';

/** What a batch has spent. Both parts contain `functions.*` and `durable.*` if there were any. */
export interface ReceiptInput {
  /** Operations for this batch alone. */
  operations: Operations;
  /** The estimate of its part of what its drains have spent. Defaults to nothing. */
  drainOperations?: Operations;
  items: number;
  backend: DurableBackend;
}

/** The bill of a batch, compared with what other designs would have spent on it. */
export interface Receipt {
  sheet: string;
  /** The currency of the sheet and of all amounts. */
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
  byService: Record<string, number>;
  totalUsd: number;
  unpriced: string[];
  unverified: PriceClass[];
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

/** Returns the durable service's charge for actions, if it bills them. */
function actionCharge(actions: number, backend: DurableBackend, sheet: PriceSheet): Priced {
  const none: Priced = { byService: {}, totalUsd: 0, unpriced: [], unverified: [] };
  if (backend === 'azureStorage' || actions === 0) return none;
  const price = unitPrice(sheet, 'durable.action');
  if (price === null) return { ...none, unpriced: ['durable.action'] };
  const usd = actions * price;
  const unverified: PriceClass[] = sheet.prices['durable.action'].verified ? [] : ['durable.action'];
  return { ...none, byService: { durable: usd }, totalUsd: usd, unverified };
}

const isCounted = (name: string): boolean => !name.startsWith('functions.') && !name.startsWith('durable.');

/** Returns the operations that a meter has counted, without requests to the durable runtime and executions. */
const counted = (operations: Operations): Operations =>
  Object.fromEntries(Object.entries(operations).filter(([name]) => isCounted(name)));

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
  const executions: Operations = { 'functions.execution': count, 'functions.gbSecond': gbSeconds };
  const priced = priceOperations(count === 0 ? asked : addOperations(asked, executions), sheet);
  const charge = actionCharge(actions, backend, sheet);
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
    byService: { ...priced.byService, ...charge.byService },
    totalUsd: priced.totalUsd + charge.totalUsd,
    unpriced: [...priced.unpriced, ...charge.unpriced],
    unverified: [...priced.unverified, ...charge.unverified],
    comparison: comparisonOf(items, ours, sheet),
  };
}
