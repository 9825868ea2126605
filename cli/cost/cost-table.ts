/** The cost model as a text for people. */
import { batchActions, batchOperations, planOf } from '../../shared/cost/batch-operations.ts';
import {
  DURABLE_ACTION_ON_STORAGE,
  MESSAGE_AN_ITEM,
  storageOperations,
  timesOperations,
} from '../../shared/cost/counts.ts';
import type { BreakEven } from '../../shared/cost/model/break-even.ts';
import type { Month, Solution } from '../../shared/cost/model/model.ts';
import type { Line } from '../../shared/cost/model/model-lines.ts';
import type { MonthParameters } from '../../shared/cost/model/month-parameters.ts';
import type { OpenTab, TabMonth } from '../../shared/cost/model/open-tab.ts';
import { PRICE_CLASSES, type PriceSheet } from '../../shared/cost/sheet.ts';
import { formatCount, formatNumber } from '../text/format.ts';

/** Everything that is printed. */
export interface CostAnswer {
  parameters: MonthParameters;
  sheet: PriceSheet;
  month: Month;
  breakEven: BreakEven;
  openTab: OpenTab;
}

/** Three decimals, so that 2.376 is not hidden behind 2.38. */
function inUsd(usd: number | null): string {
  if (usd === null) return 'no price';
  return usd > 0 && usd < 0.0005 ? '<0.001' : usd.toFixed(3);
}

const solutionsOf = ({ pollers, trigger, sluice }: Month): Solution[] => [pollers, trigger, sluice];

const HEAD = ['when', 'who', 'does', 'a month', 'USD'];
const RIGHT_FROM = 3;

const cells = (line: Line): string[] => [
  line.when,
  line.who,
  line.does,
  line.count === null ? '' : formatCount(line.count),
  inUsd(line.usd),
];

function table(rows: string[][]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (text: string, column: number) =>
    column < RIGHT_FROM ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return rows.map((row) => `  ${row.map(pad).join('  ')}`);
}

function solutionText({ title, lines, totalUsd, idleUsd }: Solution): string[] {
  const sums = `${inUsd(totalUsd)} USD a month, ${inUsd(idleUsd)} of it without any work`;
  return [`${title}: ${sums}`, ...table([HEAD, ...lines.map(cells)]), ''];
}

function parametersText(p: MonthParameters, sheet: PriceSheet): string[] {
  return [
    `Price sheet ${sheet.name}: ${sheet.title}. A month is 30 days.`,
    `Queues ${formatCount(p.queues)}, polling threads per queue ${formatCount(p.pollers)}, idle hours a day ${p.idleHours}, ` +
      `batches a day ${formatCount(p.batches)}, items a day ${formatCount(p.items)}, items per chunk ${formatCount(p.chunk)}.`,
    '',
  ];
}

function batchText({ items, batches, chunk, backend }: MonthParameters): string[] {
  if (items === 0) return [];
  const shape = { items: Math.ceil(items / Math.max(1, Math.min(batches, items))), itemsPerChunk: chunk };
  const actions = batchActions(shape);
  const host = backend === 'dts' ? 0 : storageOperations(timesOperations(DURABLE_ACTION_ON_STORAGE, actions));
  const ours = storageOperations(batchOperations(shape));
  const theirs = storageOperations(timesOperations(MESSAGE_AN_ITEM, shape.items));
  return [
    `A batch of ${formatCount(shape.items)} items in chunks: ${formatCount(planOf(shape).chunks)}. Storage operations: ${formatCount(ours)} of the app, ` +
      `${formatCount(host)} of the Durable extension for ${formatCount(actions)} actions (computed).`,
    `One message per item would need ${formatCount(theirs)}: ${(theirs / (ours + host)).toFixed(1)} times as many.`,
    '',
  ];
}

function notificationText(
  { notification: { costUsd, savedUsd } }: Month,
  { notificationThreads }: BreakEven,
): string[] {
  const net = savedUsd - costUsd;
  return [
    'The notification layer (Service Bus) instead of polling:',
    `  costs  ${inUsd(costUsd)} USD a month: base fee, events, reads of the scale controller`,
    `  saves  ${inUsd(savedUsd)} USD a month: polls of empty queues`,
    `  net    ${net < 0 ? '-' : ''}${inUsd(Math.abs(net))} USD a month; it pays ${atLeast(notificationThreads, 'polling thread')}`,
    '',
  ];
}

const atLeast = (n: number | null, what: string, per = ''): string =>
  n === null ? 'never' : `from ${formatNumber(n, what)}${per} on`;

function breakEvenText(breakEven: BreakEven): string[] {
  return [
    'Break-even: Sluice is the cheaper one, all else equal,',
    `  against pollers        ${atLeast(breakEven.pollingThreads, 'polling thread')}`,
    `                         ${atLeast(breakEven.itemsAgainstPollers, 'item', ' a day')}`,
    `  against queue triggers ${atLeast(breakEven.itemsAgainstTrigger, 'item', ' a day')}`,
    '',
  ];
}

const tabText = ({ looks, usd }: TabMonth): string => `${inUsd(usd)} USD a month, ${formatCount(looks)} looks`;

function openTabText({ idleHours }: MonthParameters, { attended, unattended }: OpenTab): string[] {
  return [
    `A tab of the dashboard, open and visible day and night, in no design's sum; something moves ${24 - idleHours} h a day:`,
    `  in use             ${tabText(attended)}: each 3 s while something moves`,
    `  left to itself     ${tabText(unattended)}: each 60 s then`,
    '  both look 10, 30 and 60 s apart when all stands still, and no more after half an hour; hidden, they never look',
    '',
  ];
}

function caveats(sheet: PriceSheet, month: Month): string[] {
  const unverified = PRICE_CLASSES.filter((priceClass) => !sheet.prices[priceClass].verified);
  const missing = solutionsOf(month).some(({ lines }) => lines.some(({ usd }) => usd === null));
  return [
    'Left out: handler time, stored gigabytes, the machines that pollers run on, logs. See docs/cost.md.',
    ...(missing ? ['"no price": not sold at the date of the sheet, and not in the sums.'] : []),
    ...(unverified.length > 0 ? [`Prices without a verified source: ${unverified.join(', ')}.`] : []),
  ];
}

/** The whole answer, line by line. */
export function toText({ parameters, sheet, month, breakEven, openTab }: CostAnswer): string {
  return [
    ...parametersText(parameters, sheet),
    ...solutionsOf(month).flatMap(solutionText),
    ...batchText(parameters),
    ...notificationText(month, breakEven),
    ...breakEvenText(breakEven),
    ...openTabText(parameters, openTab),
    ...caveats(sheet, month),
  ].join('\n');
}
