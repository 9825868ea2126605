/**
 * Formats the cost model as text. Amounts are in the currency of the sheet; `*` marks those that depend on an unverified
 * price.
 */
import { planOf } from '../../shared/cost/batch-operations.ts';
import { MESSAGE_AN_ITEM, storageOperations, timesOperations } from '../../shared/cost/counts.ts';
import type { Backends } from '../../shared/cost/model/backends.ts';
import type { BreakEven } from '../../shared/cost/model/break-even.ts';
import type { Grouping } from '../../shared/cost/model/grouping.ts';
import type { IdleBill } from '../../shared/cost/model/idle-bill.ts';
import { batchesOf, type Month, type Solution } from '../../shared/cost/model/model.ts';
import { type MonthParameters, shapeOf } from '../../shared/cost/model/month-parameters.ts';
import type { OpenTab, TabMonth } from '../../shared/cost/model/open-tab.ts';
import { PRICE_CLASSES, type PriceClass, type PriceSheet } from '../../shared/cost/sheet.ts';
import { formatCount, formatNumber, unverifiedNote } from '../text/format.ts';
import { amount, formatTimes, lineTable, table } from './cells.ts';

/** All results of the cost model that are printed. */
export interface CostAnswer {
  parameters: MonthParameters;
  sheet: PriceSheet;
  idle: IdleBill;
  month: Month;
  grouping: Grouping;
  backends: Backends;
  breakEven: BreakEven;
  openTab: OpenTab;
}

function parametersText(p: MonthParameters, sheet: PriceSheet): string[] {
  return [
    `Price sheet ${sheet.name}, ${sheet.currency}: ${sheet.title}.`,
    'Computed, not read from a bill. A month has 30 days. Amounts are before free grants unless stated otherwise.',
    '',
    `Deployment: ${formatNumber(p.pools, 'pool')} of ${formatCount(p.memoryMb)} MB instances, backend ${p.backend}, ` +
      `${p.isPrivate ? 'private network' : 'public endpoints'}.`,
  ];
}

function idleText(idle: IdleBill, { currency }: PriceSheet): string[] {
  const after = idle.totalUsd - idle.grantsUsd;
  return [
    `Idle bill: ${amount(idle.totalUsd, idle.unverified)} ${currency} per month without any work, ` +
      `${amount(after, idle.unverified)} after free grants; ${amount(idle.perPoolUsd, idle.unverified)} per additional pool.`,
    'The app does not poll. These operations are those of the platform and of the timers:',
    ...lineTable(idle.lines, currency),
    '',
  ];
}

function loadText(p: MonthParameters): string[] {
  return [
    `Load: ${formatNumber(p.queues, 'queue')}, polling threads per queue ${formatCount(p.pollers)}, idle hours per day ${p.idleHours}, ` +
      `batches per day ${formatCount(p.batches)},`,
    `items per day ${formatCount(p.items)}, items per chunk ${formatCount(p.chunk)}, handler seconds per chunk ${p.secondsPerChunk}.`,
    'Three designs compared. Alert rules, logs, packages and private networking are only in the idle bill,',
    'because every design needs its own.',
    '',
  ];
}

function solutionText(
  { title, lines, totalUsd, idleUsd, grantsUsd, unverified }: Solution,
  currency: string,
): string[] {
  const after = totalUsd - grantsUsd;
  const sums = [
    `${amount(totalUsd, unverified)} ${currency} per month`,
    `${amount(idleUsd, unverified)} of it without any work`,
    ...(grantsUsd > 0 ? [`${amount(after, unverified)} after free grants`] : []),
  ];
  return [`${title}: ${sums.join(', ')}`, ...lineTable(lines, currency), ''];
}

function batchText(p: MonthParameters, backends: Backends, currency: string): string[] {
  const { items } = batchesOf(p);
  if (items === 0) return [];
  const { batch } = backends[p.backend];
  const theirs = storageOperations(timesOperations(MESSAGE_AN_ITEM, items));
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

function groupingText({ sizes, stay }: Grouping, currency: string): string[] {
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
function backendsText(p: MonthParameters, backends: Backends, currency: string): string[] {
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

function notificationText({ notification }: Month, { notificationThreads }: BreakEven, currency: string): string[] {
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

function breakEvenText(breakEven: BreakEven): string[] {
  return [
    'Break-even: with all other parameters unchanged, Sluice is cheaper',
    `  against pollers        ${atLeast(breakEven.pollingThreads, 'polling thread')}`,
    `                         ${atLeast(breakEven.itemsAgainstPollers, 'item', ' per day')}`,
    `  against queue triggers ${atLeast(breakEven.itemsAgainstTrigger, 'item', ' per day')}`,
    '',
  ];
}

function openTabText(
  { idleHours }: MonthParameters,
  { attended, unattended, unverified }: OpenTab,
  currency: string,
): string[] {
  const tab = ({ looks, usd }: TabMonth): string =>
    `${amount(usd, unverified)} ${currency} per month, ${formatCount(looks)} refreshes`;
  return [
    `A dashboard tab that is always open and visible (not in the sums above), with activity during ${24 - idleHours} h per day:`,
    `  in use             ${tab(attended)}: every 3 s during activity`,
    `  unattended         ${tab(unattended)}: every 60 s during activity`,
    '  Without activity, both refresh after 10, 30 and 60 s, and stop after half an hour. A hidden tab never refreshes.',
    '',
  ];
}

function caveats({ idle, month, grouping, backends, openTab }: CostAnswer): string[] {
  const solutions = [month.pollers, month.trigger, month.sluice];
  const used = new Set<PriceClass>(
    [
      ...[idle, ...solutions, ...grouping.sizes, backends.azureStorage, backends.dts, openTab],
      ...[backends.azureStorage.batch, backends.dts.batch],
    ].flatMap(({ unverified }) => unverified),
  );
  const lines = [idle, ...solutions].flatMap((part) => part.lines);
  const marked = PRICE_CLASSES.filter((priceClass) => used.has(priceClass));
  return [
    'Not included: storage capacity of batches, traffic, machines of polling workers, operations of a starting host.',
    'See docs/cost.md.',
    ...(lines.some(({ usd }) => usd === null) ? ['"no price": the sheet has no price; not included in the sums.'] : []),
    ...unverifiedNote(marked),
  ];
}

/** Returns the whole output. */
export function toText(answer: CostAnswer): string {
  const { parameters, sheet, idle, month, grouping, backends, breakEven, openTab } = answer;
  const { currency } = sheet;
  return [
    ...parametersText(parameters, sheet),
    ...idleText(idle, sheet),
    ...loadText(parameters),
    ...[month.pollers, month.trigger, month.sluice].flatMap((solution) => solutionText(solution, currency)),
    ...batchText(parameters, backends, currency),
    ...groupingText(grouping, currency),
    ...backendsText(parameters, backends, currency),
    ...notificationText(month, breakEven, currency),
    ...breakEvenText(breakEven),
    ...openTabText(parameters, openTab, currency),
    ...caveats(answer),
  ].join('\n');
}
