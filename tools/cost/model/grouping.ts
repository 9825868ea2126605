/** What grouping saves: the same items in batches of different sizes, and a batch that joins a running drain. */

import {
  addOperations,
  type Operations,
  timesOperations,
  totalOperations,
} from '../../../shared/contract/operations.ts';
import { instanceGb } from '../../../shared/cost/deployed.ts';
import { gbSecondsOf } from '../../../shared/cost/price.ts';
import { messagePerItem } from '../../../shared/cost/receipt.ts';
import type { PriceSheet } from '../../../shared/cost/sheet.ts';
import { type BatchPrice, batchPrice, durableShare, priceOf } from './batch-price.ts';
import { type MonthParameters, shapeOf } from './month-parameters.ts';

const SIZES = [1, 100, 10_000, 1_000_000] as const;
const MILLION = 1_000_000;

/** Batches of one size. */
export interface SizedBatch extends BatchPrice {
  items: number;
  /** The price of a million items in such batches. */
  usdPerMillion: number | null;
  /** Storage operations of one message per item, divided by those of the batch. Below 1, the batch needs more. */
  timesFewer: number;
}

/** What a batch saves if it arrives while the drains of its queues are running. */
export interface Stay {
  operations: number;
  actions: number;
  executions: number;
  usd: number | null;
}

/** The table of sizes, and the saving of a batch that joins a drain. */
export interface Grouping {
  sizes: SizedBatch[];
  stay: Stay;
}

/**
 * The end of a drain and the start of the next: depth read once, gate and batch row read, gate changed, heartbeat
 * written, and as many empty gets as receives (docs/decisions/0006-lone-task.md).
 */
const DRAIN: Operations = {
  'queue.properties': 1,
  'table.get': 3,
  'table.update': 2,
  'servicebus.send': 1,
};
/** One start, 2 for a dequeue task, 2 for finish-wave. */
const DRAIN_ACTIONS = 5;
/** Three episodes, the task, finish-wave. */
const DRAIN_EXECUTIONS = 5;
/** The drain of the work queue: a small batch has no other. */
const DRAINS = 1;

function stayOf(parameters: MonthParameters, sheet: PriceSheet): Stay {
  const own = timesOperations(DRAIN, DRAINS);
  const actions = DRAINS * DRAIN_ACTIONS;
  const executions = DRAINS * DRAIN_EXECUTIONS;
  const durable = durableShare(actions, parameters.backend);
  const { 'servicebus.send': _events, ...storage } = own;
  const gbSeconds = executions * gbSecondsOf(0, instanceGb(parameters));
  const { usd } = priceOf(
    addOperations(own, durable.operations),
    { ...durable.amounts, 'functions.execution': executions, 'functions.gbSecond': gbSeconds },
    sheet,
  );
  return { operations: totalOperations(storage), actions, executions, usd };
}

/** Prices a million items in batches of each size, on the backend of the parameters. */
export function grouping(parameters: MonthParameters, sheet: PriceSheet): Grouping {
  const sizes = SIZES.map((items) => {
    const price = batchPrice(shapeOf(items, parameters), parameters, sheet);
    return {
      items,
      ...price,
      usdPerMillion: price.usd === null ? null : (price.usd * MILLION) / items,
      timesFewer: totalOperations(messagePerItem(items)) / (price.storageOperations + price.hostOperations),
    };
  });
  return { sizes, stay: stayOf(parameters, sheet) };
}
