/**
 * A month of three designs for the same work, as pure arithmetic over a price sheet. Left out, because it is the same in
 * all of them or cannot be known: stored gigabytes, traffic, the machine that always-on pollers run on, and what every
 * design adds in its own way (alert rules, logs, private networking): that is in the idle bill.
 */
import { MESSAGE_AN_ITEM, timesOperations } from '../counts.ts';
import type { PriceClass, PriceSheet } from '../sheet.ts';
import { batchWork } from './batch-price.ts';
import { instanceGb } from './deployed.ts';
import { createLedger, freeGrants, type Line, sumOf, unverifiedIn, type When } from './model-lines.ts';
import {
  DAYS_A_MONTH,
  type MonthParameters,
  SECONDS_AN_HOUR,
  scaleControllerReads,
  shapeOf,
} from './month-parameters.ts';
import { type MonthOfWork, notificationLines, sluiceLines } from './sluice-month.ts';

/** One design's month. */
export interface Solution {
  title: string;
  lines: Line[];
  /** Before free grants. */
  totalUsd: number;
  /** The part that does not end when work does. */
  idleUsd: number;
  /** What the free grants take off the total, if nothing else of the subscription uses them. */
  grantsUsd: number;
  unverified: PriceClass[];
}

/** The three designs, in the order of their age. */
export interface Month {
  pollers: Solution;
  trigger: Solution;
  sluice: Solution;
  /** What Service Bus costs Sluice in the month, and what the polls of empty queues that it replaces would cost. */
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

/** Polls of empty queues in a day, one per second and thread; 22 h are 79,200 per thread. */
export const idlePollsADay = ({ queues, pollers, idleHours }: MonthParameters): number =>
  Math.round(idleHours * SECONDS_AN_HOUR) * queues * pollers;

function pollersMonth(parameters: MonthParameters, sheet: PriceSheet): Solution {
  const { queues, pollers, items } = parameters;
  const ledger = createLedger(sheet);
  ledger.operations(
    'idle',
    `polling threads: ${queues * pollers}`,
    'get from an empty queue every second; an empty get is billed',
    { 'queue.get': idlePollsADay(parameters) * DAYS_A_MONTH },
  );
  ledger.operations(
    'work',
    'sender and threads',
    'one message per item: put, get, delete',
    timesOperations(MESSAGE_AN_ITEM, items * DAYS_A_MONTH),
  );
  return toSolution('Always-on pollers, one message per item', ledger.lines(), sheet);
}

/** learn: functions-bindings-storage-queue: batchSize 16. */
const TRIGGER_BATCH = 16;
function triggerMonth(parameters: MonthParameters, sheet: PriceSheet): Solution {
  const { queues, idleHours, items, chunk, secondsPerChunk } = parameters;
  const ledger = createLedger(sheet);
  const messages = items * DAYS_A_MONTH;
  ledger.operations(
    'always',
    'scale controller',
    `length and age of each queue (${queues}), every 10 s (interval assumed)`,
    scaleControllerReads(queues),
  );
  ledger.operations('work', 'running host', 'get from each queue at least once a minute while the app is up', {
    'queue.get': Math.round(queues * (24 - idleHours) * 60 * DAYS_A_MONTH),
  });
  ledger.operations('work', 'sender and host', `one message per item: put, delete, and a get for ${TRIGGER_BATCH}`, {
    'queue.put': messages,
    'queue.get': messages / TRIGGER_BATCH,
    'queue.delete': messages,
  });
  ledger.units('work', 'host', 'an execution per item', { priceClass: 'functions.execution', n: messages });
  // The least it can be, while Sluice's is the most: executions of a busy instance share its seconds without a gap.
  ledger.units('work', 'host', 'GB-seconds: handler time alone', {
    priceClass: 'functions.gbSecond',
    n: ((messages * secondsPerChunk) / chunk) * instanceGb(parameters),
  });
  return toSolution('Functions queue trigger, one message per item', ledger.lines(), sheet);
}

/** The size of a batch, and how many there are per day: a batch holds an item at least, and items come in a batch at least. */
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
  const batches = perDay * DAYS_A_MONTH;
  const { operations, actions, executions, gbSeconds } = batchWork(shape, instanceGb(parameters));
  return {
    operations: timesOperations(operations, batches),
    actions: actions * batches,
    batches,
    executions: executions * batches,
    gbSeconds: gbSeconds * batches,
  };
}

/** The month of each design. */
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
