/**
 * Formats the cost model as text. Amounts are in the currency of the sheet; `*` marks those that depend on an unverified
 * price.
 */

import { formatCount, formatNumber, unverifiedNote } from '../../../cli/text/format.ts';
import { PRICE_CLASSES, type PriceClass, type PriceSheet } from '../../../shared/cost/sheet.ts';
import type { Backends } from '../model/backends.ts';
import type { IdleBill } from '../model/bill.ts';
import type { BreakEven } from '../model/break-even.ts';
import type { Grouping } from '../model/grouping.ts';
import type { Month, Solution } from '../model/model.ts';
import type { MonthParameters } from '../model/month-parameters.ts';
import { amount, lineTable } from './cells.ts';
import { backendsText, batchText, breakEvenText, groupingText, notificationText } from './comparisons-text.ts';

/** All results of the cost model that are printed. */
export interface CostAnswer {
  parameters: MonthParameters;
  sheet: PriceSheet;
  idle: IdleBill;
  month: Month;
  grouping: Grouping;
  backends: Backends;
  breakEven: BreakEven;
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

function caveats({ idle, month, grouping, backends }: CostAnswer): string[] {
  const solutions = [month.pollers, month.trigger, month.sluice];
  const used = new Set<PriceClass>(
    [
      ...[idle, ...solutions, ...grouping.sizes, backends.azureStorage, backends.dts],
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
  const { parameters, sheet, idle, month, grouping, backends, breakEven } = answer;
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
    ...caveats(answer),
  ].join('\n');
}
