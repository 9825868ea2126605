/**
 * A month of three designs for the same work, as pure arithmetic over a price sheet. Left out, because it is the same or
 * cannot be told: handler time, stored gigabytes, the machine that always-on pollers run on, log ingestion.
 */
import { batchActions, batchOperations } from '../batch-operations.ts';
import { MESSAGE_AN_ITEM, timesOperations } from '../counts.ts';
import type { PriceSheet } from '../sheet.ts';
import { createLedger, type Line, type When } from './model-lines.ts';
import { DAYS_A_MONTH, type MonthParameters, SECONDS_AN_HOUR, scaleControllerReads } from './month-parameters.ts';
import { type MonthOfWork, notificationLines, sluiceLines } from './sluice-month.ts';

/** One design's month. */
export interface Solution {
  title: string;
  lines: Line[];
  totalUsd: number;
  /** The part that does not end when work does. */
  idleUsd: number;
}

/** The three designs, in the order of their age. */
export interface Month {
  pollers: Solution;
  trigger: Solution;
  sluice: Solution;
  /** What Service Bus costs Sluice in the month, and what the polls of empty queues that it replaces would cost. */
  notification: { costUsd: number; savedUsd: number };
}

const isIdle = (when: When): boolean => when !== 'work';

const sum = (lines: Line[]): number => lines.reduce((usd, line) => usd + (line.usd ?? 0), 0);

function toSolution(title: string, lines: Line[]): Solution {
  return { title, lines, totalUsd: sum(lines), idleUsd: sum(lines.filter(({ when }) => isIdle(when))) };
}

/** Polls of empty queues in a day, one a second for each thread; 22 h give 79,200 a thread. */
export const idlePollsADay = ({ queues, pollers, idleHours }: MonthParameters): number =>
  Math.round(idleHours * SECONDS_AN_HOUR) * queues * pollers;

function pollersMonth(parameters: MonthParameters, sheet: PriceSheet): Solution {
  const { queues, pollers, items } = parameters;
  const ledger = createLedger(sheet);
  ledger.operations(
    'idle',
    `polling threads: ${queues * pollers}`,
    'get from an empty queue each second; an empty get is billed',
    { 'queue.get': idlePollsADay(parameters) * DAYS_A_MONTH },
  );
  ledger.operations(
    'work',
    'sender and threads',
    'one message per item: put, get, delete',
    timesOperations(MESSAGE_AN_ITEM, items * DAYS_A_MONTH),
  );
  return toSolution('Always-on pollers, one message per item', ledger.lines());
}

/** learn: functions-bindings-storage-queue: batchSize 16. */
const TRIGGER_BATCH = 16;
function triggerMonth({ queues, idleHours, items }: MonthParameters, sheet: PriceSheet): Solution {
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
  ledger.units('work', 'host', 'an execution an item', { priceClass: 'functions.execution', n: messages });
  return toSolution('Functions queue trigger, one message per item', ledger.lines());
}

function workOfMonth({ items, chunk, batches: batchesADay }: MonthParameters): MonthOfWork {
  // A batch holds an item at least, and items come in a batch at least.
  const batches = Math.min(Math.max(1, batchesADay), items);
  const shape = { items: batches === 0 ? 0 : Math.ceil(items / batches), itemsPerChunk: chunk };
  const batchesAMonth = batches * DAYS_A_MONTH;
  return {
    operations: timesOperations(batchOperations(shape), batchesAMonth),
    actions: batchActions(shape) * batchesAMonth,
    batches: batchesAMonth,
  };
}

/** The month of each design. */
export function modelMonth(parameters: MonthParameters, sheet: PriceSheet): Month {
  const work = workOfMonth(parameters);
  const pollers = pollersMonth(parameters, sheet);
  return {
    pollers,
    trigger: triggerMonth(parameters, sheet),
    sluice: toSolution(`Sluice, durable backend ${parameters.backend}`, sluiceLines(parameters, work, sheet)),
    notification: { costUsd: sum(notificationLines(work, sheet)), savedUsd: pollers.idleUsd },
  };
}
