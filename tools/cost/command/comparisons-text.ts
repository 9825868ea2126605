/** Formats what the cost model compares: batch sizes, durable backends, notification with polling, break-even, dashboard tabs. */

import { formatCount, formatNumber } from '../../../cli/text/format.ts';
import { storageOperations } from '../../../shared/contract/operations.ts';
import { planOf } from '../../../shared/cost/batch-operations.ts';
import { messagePerItem } from '../../../shared/cost/receipt.ts';
import type { Backends } from '../model/backends.ts';
import type { BreakEven } from '../model/break-even.ts';
import type { Grouping } from '../model/grouping.ts';
import { batchesOf, type Month } from '../model/model.ts';
import { type MonthParameters, shapeOf } from '../model/month-parameters.ts';
import { amount, formatTimes, table } from './cells.ts';

export function batchText(p: MonthParameters, backends: Backends, currency: string): string[] {
  const { items } = batchesOf(p);
  if (items === 0) return [];
  const { batch } = backends[p.backend];
  const theirs = storageOperations(messagePerItem(items));
  const ours = batch.storageOperations + batch.hostOperations;
  return [
    `A batch of ${formatNumber(items, 'item')} in ${formatNumber(planOf(shapeOf(items, p)).chunks, 'chunk')}, alone (computed): ` +
      `${amount(batch.usd, batch.unverified)} ${currency}.`,
    `  storage operations: ${formatCount(batch.storageOperations)} of the app, ${formatCount(batch.hostOperations)} of the Durable extension for ` +
      `${formatCount(batch.actions)} actions`,
    `  ${formatCount(batch.executions)} executions, billed as ${formatCount(batch.gbSeconds)} GB-seconds at most`,
    `  one message per item needs ${formatCount(theirs)} storage operations: ${formatTimes(theirs / ours)} times as many`,
    '',
  ];
}

const SIZE_RIGHT_FROM = 0;

export function groupingText({ sizes, stay }: Grouping, currency: string): string[] {
  const head = [
    'items per batch',
    'operations',
    'executions',
    'GB-s',
    `${currency} per batch`,
    'per million items',
    'times fewer',
  ];
  const rows = sizes.map((size) => [
    formatCount(size.items),
    formatCount(size.storageOperations + size.hostOperations),
    formatCount(size.executions),
    formatCount(size.gbSeconds),
    amount(size.usd, size.unverified),
    amount(size.usdPerMillion, size.unverified),
    formatTimes(size.timesFewer),
  ]);
  const mark = sizes[0]?.unverified;
  return [
    'Savings of grouping, per batch that runs alone; "times fewer" compares storage operations with one message per item:',
    ...table([head, ...rows], SIZE_RIGHT_FROM),
    `  A batch that arrives while the drains of its queues run (a single task stays for 5 s) saves ${amount(stay.usd, mark)} ${currency}:`,
    `  ${stay.operations} storage operations of the app, ${stay.actions} durable actions, ${stay.executions} executions.`,
    '',
  ];
}

/** Omits the verdict if there are no items, because it depends on the price of a batch. */
export function backendsText(p: MonthParameters, backends: Backends, currency: string): string[] {
  const { azureStorage, dts, storageFromBatches } = backends;
  const hasBatch = batchesOf(p).items > 0;
  const row = (name: string, { idleUsd, monthUsd, batch, unverified }: Backends['dts']) => [
    name,
    amount(idleUsd, unverified),
    amount(monthUsd, unverified),
    ...(hasBatch ? [amount(batch.usd, batch.unverified)] : []),
  ];
  const verdict =
    storageFromBatches === null
      ? 'Azure Storage is not cheaper at any number of batches, or a price is missing.'
      : `Below ${formatNumber(storageFromBatches, 'such batch', 'such batches')} per month, the Durable Task Scheduler is cheaper; from there on, Azure Storage.`;
  return [
    'Durable Functions backends, each at its own price:',
    ...table(
      [
        ['', `${currency} idle`, 'month of the design', ...(hasBatch ? ['one batch alone'] : [])],
        row('Azure Storage', azureStorage),
        row('Durable Task Scheduler', dts),
      ],
      1,
    ),
    ...(hasBatch ? [`  ${verdict}`] : []),
    '',
  ];
}

export function notificationText(
  { notification }: Month,
  { notificationThreads }: BreakEven,
  currency: string,
): string[] {
  const { costUsd, savedUsd, unverified } = notification;
  const net = savedUsd - costUsd;
  return [
    'The notification layer (Service Bus) instead of polling:',
    `  costs  ${amount(costUsd, unverified)} ${currency} per month: fee, events, reads of the scale controller`,
    `  saves  ${amount(savedUsd, unverified)} ${currency} per month: polls of empty queues`,
    `  net    ${net < 0 ? '-' : ''}${amount(Math.abs(net), unverified)} ${currency} per month; pays off ${atLeast(notificationThreads, 'polling thread')}`,
    '',
  ];
}

const atLeast = (n: number | null, what: string, per = ''): string =>
  n === null ? 'never' : `from ${formatNumber(n, what)}${per} on`;

export function breakEvenText(breakEven: BreakEven): string[] {
  return [
    'Break-even: with all other parameters unchanged, Sluice is cheaper',
    `  against pollers        ${atLeast(breakEven.pollingThreads, 'polling thread')}`,
    `                         ${atLeast(breakEven.itemsAgainstPollers, 'item', ' per day')}`,
    `  against queue triggers ${atLeast(breakEven.itemsAgainstTrigger, 'item', ' per day')}`,
    '',
  ];
}
