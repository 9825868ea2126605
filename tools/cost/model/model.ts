/**
 * A month of three designs for the same work, calculated from a price sheet. Pure. It omits what is equal in all of
 * them or unknown: stored gigabytes, traffic, and the machine that runs always-on pollers. It also omits what every
 * design has in its own way (alert rules, logs, private networking): that is in the idle bill.
 */

import { timesOperations } from '../../../shared/contract/operations.ts';
import { type Line, priceLines, type When } from '../../../shared/cost/bill-lines.ts';
import { DAYS_PER_MONTH, instanceGb, SECONDS_PER_HOUR } from '../../../shared/cost/deployed.ts';
import { scaleControllerReads } from '../../../shared/cost/idle-bill.ts';
import { messagePerItem } from '../../../shared/cost/receipt.ts';
import type { PriceClass, PriceSheet } from '../../../shared/cost/sheet.ts';
import { batchWork } from './batch-price.ts';
import { freeGrants, sumOf, unverifiedIn } from './bill.ts';
import { type MonthParameters, shapeOf } from './month-parameters.ts';
import { type MonthOfWork, notificationLines, sluiceLines } from './sluice-month.ts';

/** The month of one design. */
export interface Solution {
  title: string;
  lines: Line[];
  /** Before free grants. */
  totalUsd: number;
  /** The part that is also billed without work. */
  idleUsd: number;
  /** What the free grants subtract from the total, if nothing else of the subscription uses them. */
  grantsUsd: number;
  unverified: PriceClass[];
}

/** The three designs, oldest first. */
export interface Month {
  pollers: Solution;
  trigger: Solution;
  sluice: Solution;
  /** What Service Bus costs Sluice per month, and what the polls of empty queues would cost that it replaces. */
  notification: { costUsd: number; savedUsd: number; unverified: PriceClass[] };
}

const isIdle = (when: When): boolean => when !== 'work';

function toSolution(title: string, lines: Line[], sheet: PriceSheet): Solution {
  return {
    title,
    lines,
    totalUsd: sumOf(lines),
    idleUsd: sumOf(lines.filter(({ when }) => isIdle(when))),
    grantsUsd: freeGrants(lines, sheet),
    unverified: unverifiedIn(lines, sheet),
  };
}

/** Returns the polls of empty queues per day: one per second and thread. 22 h are 79,200 per thread. */
export const idlePollsPerDay = ({ queues, pollers, idleHours }: MonthParameters): number =>
  Math.round(idleHours * SECONDS_PER_HOUR) * queues * pollers;

function pollersMonth(parameters: MonthParameters, sheet: PriceSheet): Solution {
  const { queues, pollers, items } = parameters;
  const lines = priceLines(
    [
      {
        when: 'idle',
        who: `polling threads: ${queues * pollers}`,
        does: 'get from an empty queue every second; an empty get is billed',
        operations: { 'queue.get': idlePollsPerDay(parameters) * DAYS_PER_MONTH },
      },
      {
        when: 'work',
        who: 'sender and threads',
        does: 'one message per item: put, delete, and a get for 32',
        operations: messagePerItem(items * DAYS_PER_MONTH),
      },
    ],
    sheet,
  );
  return toSolution('Always-on pollers, one message per item', lines, sheet);
}

/** Source: Microsoft Learn, functions-bindings-storage-queue, batchSize 16. */
const TRIGGER_BATCH = 16;
function triggerMonth(parameters: MonthParameters, sheet: PriceSheet): Solution {
  const { queues, idleHours, items, chunk, secondsPerChunk } = parameters;
  const messages = items * DAYS_PER_MONTH;
  const lines = priceLines(
    [
      {
        who: 'scale controller',
        does: `length and age of each queue (${queues}), every 10 s (interval assumed)`,
        operations: scaleControllerReads(queues),
      },
      {
        when: 'work',
        who: 'running host',
        does: 'get from each queue at least once per minute while the app is running',
        operations: { 'queue.get': Math.round(queues * (24 - idleHours) * 60 * DAYS_PER_MONTH) },
      },
      {
        when: 'work',
        who: 'sender and host',
        does: `one message per item: put, delete, and a get for ${TRIGGER_BATCH}`,
        operations: { 'queue.put': messages, 'queue.get': messages / TRIGGER_BATCH, 'queue.delete': messages },
      },
      { when: 'work', who: 'host', does: 'one execution per item', priceClass: 'functions.execution', n: messages },
      // A lower bound, while Sluice's is an upper bound: executions of a busy instance share its seconds without a gap.
      {
        when: 'work',
        who: 'host',
        does: 'GB-seconds: only handler time',
        priceClass: 'functions.gbSecond',
        n: ((messages * secondsPerChunk) / chunk) * instanceGb(parameters),
      },
    ],
    sheet,
  );
  return toSolution('Functions queue trigger, one message per item', lines, sheet);
}

/**
 * Returns the size of a batch and the number of batches per day. A batch contains at least one item, and every item is
 * in a batch.
 */
export function batchesOf({ items, batches }: Pick<MonthParameters, 'items' | 'batches'>): {
  perDay: number;
  items: number;
} {
  const perDay = Math.min(Math.max(1, batches), items);
  return { perDay, items: perDay === 0 ? 0 : Math.ceil(items / perDay) };
}

function workOfMonth(parameters: MonthParameters): MonthOfWork {
  const { perDay, items } = batchesOf(parameters);
  const shape = shapeOf(items, parameters);
  const batches = perDay * DAYS_PER_MONTH;
  const { operations, actions, executions, gbSeconds } = batchWork(shape, instanceGb(parameters));
  return {
    operations: timesOperations(operations, batches),
    actions: actions * batches,
    batches,
    executions: executions * batches,
    gbSeconds: gbSeconds * batches,
  };
}

/** Calculates the month of each design. */
export function modelMonth(parameters: MonthParameters, sheet: PriceSheet): Month {
  const work = workOfMonth(parameters);
  const pollers = pollersMonth(parameters, sheet);
  const layer = notificationLines(parameters, work, sheet);
  const title = `Sluice, durable backend ${parameters.backend}`;
  return {
    pollers,
    trigger: triggerMonth(parameters, sheet),
    sluice: toSolution(title, sluiceLines(parameters, work, sheet), sheet),
    notification: { costUsd: sumOf(layer), savedUsd: pollers.idleUsd, unverified: unverifiedIn(layer, sheet) },
  };
}
