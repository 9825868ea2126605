/** What grouping saves: the same items in batches of other sizes, and a batch that joins a drain at work. */
import { addOperations, type Operations, totalOperations } from '../../contract/operations.ts';
import { MESSAGE_AN_ITEM, timesOperations } from '../counts.ts';
import { gbSecondsOf } from '../price.ts';
import type { PriceSheet } from '../sheet.ts';
import { type BatchPrice, batchPrice, durableShare, priceOf } from './batch-price.ts';
import { instanceGb } from './deployed.ts';
import { type MonthParameters, shapeOf } from './month-parameters.ts';

const SIZES = [1, 100, 10_000, 1_000_000] as const;
const MILLION = 1_000_000;

/** Batches of one size. */
export interface SizedBatch extends BatchPrice {
  items: number;
  /** A million items in such batches. */
  usdPerMillion: number | null;
  /** Storage operations that one message per item needs, for each that the batch needs; below 1: a batch needs more. */
  timesFewer: number;
}

/** What a batch saves that comes while the drains of its queues are at work. */
export interface Stay {
  operations: number;
  actions: number;
  executions: number;
  usd: number | null;
}

/** The table of sizes, and the stay. */
export interface Grouping {
  sizes: SizedBatch[];
  stay: Stay;
}

/**
 * The end of a drain and the start of the next: depth read once, gate and batch row read, gate changed, heartbeat written; as
 * many empty gets as receives (docs/decisions/0006-lone-task.md).
 */
const DRAIN: Operations = {
  'queue.properties': 1,
  'table.get': 3,
  'table.update': 2,
  'servicebus.send': 1,
};
/** A start, 2 for a dequeue task, 2 for finish-wave. */
const DRAIN_ACTIONS = 5;
/** Three episodes, the task, finish-wave. */
const DRAIN_EXECUTIONS = 5;
/** On the work queue: a small batch has no other drain. */
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

/** A million items in batches of each size, on the backend of the parameters. */
export function grouping(parameters: MonthParameters, sheet: PriceSheet): Grouping {
  const perItem = totalOperations(MESSAGE_AN_ITEM);
  const sizes = SIZES.map((items) => {
    const price = batchPrice(shapeOf(items, parameters), parameters, sheet);
    return {
      items,
      ...price,
      usdPerMillion: price.usd === null ? null : (price.usd * MILLION) / items,
      timesFewer: (items * perItem) / (price.storageOperations + price.hostOperations),
    };
  });
  return { sizes, stay: stayOf(parameters, sheet) };
}
