import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { isFinished } from '../../batches/batch-row.ts';
import { readBatch } from '../../batches/ledger.ts';
import { batchesOfDays, type IndexEntry, indexEntryOf } from '../../batches/listing/index-rows.ts';
import { openIds } from '../../batches/listing/listing.ts';
import { batchDate } from '../../contract/names.ts';
import type { Meter } from '../../cost/meter.ts';
import type { Overhead, OverheadName } from '../../cost/overhead.ts';
import {
  addBatch,
  type KnownDeployment,
  minutesOf,
  NOTHING_SPENT,
  type PeriodCost,
  type PeriodSpent,
  periodCost,
} from '../../cost/period.ts';
import { DAY_MS, dateOf, weeksOf } from '../../days.ts';
import { inParallel } from '../../parallel.ts';
import type { Settings } from '../../settings.ts';
import type { Table } from '../../storage/table.ts';
import type { Registry } from '../../workload/registry.ts';
import { estimateDrains, type ReceiptBasis, rounded, roundedOperations } from '../batches/view/receipt-view.ts';
import { json } from '../edge/answers.ts';
import { dayOf } from '../edge/request/parameters.ts';
import type { Cost, CostPeriod } from './schemas.ts';

export interface CostHttp {
  table: Table;
  meter: Pick<Meter, 'total' | 'serviceNowMs'>;
  /** Start of the counters of this process, in milliseconds since 1970. */
  sinceMs: number;
  basis: ReceiptBasis;
  overhead: Pick<Overhead, 'totals'>;
  settings: Pick<Settings, 'sweepSchedule' | 'inboxSchedule' | 'instance'>;
  /** Each pool of these workloads is deployed as a separate app. */
  registry: Pick<Registry, 'workloads'>;
  /** Maximum number of finished batches, in whole weeks. Defaults to 200,000. */
  maxLines?: number;
}

/** Lines are read week by week, newest first, up to this number. Each thousand is one operation. */
const MAX_LINES = 200_000;
/** Each open batch is read by one operation: its line is outdated. */
const MAX_OPEN = 500;
const READS_AT_ONCE = 16;

const NOT_INCLUDED = [
  'function executions and GB-seconds of read requests, such as this one',
  'operations of read requests: listings, results, reports, this one',
  'stored gigabytes and traffic of batches, logs of work, free grants',
];

/**
 * GET cost: the cost of today (or `?day=`) and its month, as the sum of the receipts. Requires one query per week of the month,
 * and one read per open batch, at most 500. The month begins later if there are too many batches. Nothing is stored for it.
 */
export async function getCost(deps: CostHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const nowMs = deps.meter.serviceNowMs();
  const day = dayOf(request) ?? dateOf(nowMs);
  const month = { from: `${day.slice(0, 7)}-01`, to: lastDayOfMonth(day) };
  const { from, scanned, notScanned, ...spent } = await readSpent(deps, month, day);
  const costOf = (sum: PeriodSpent, days: { from: string; to: string }): PeriodCost & { from: string; to: string } => ({
    ...periodCost(
      sum,
      { days: passedDays(days, nowMs), deployment: deploymentOf(deps.settings, deps.registry) },
      { prices: deps.basis.prices, backend: deps.basis.backend },
    ),
    ...days,
  });
  const ofMonth = costOf(spent.month, { ...month, from });
  const cost: Cost = {
    sheet: deps.basis.prices.name,
    currency: deps.basis.prices.currency,
    unverified: ofMonth.unverified,
    day: view(costOf(spent.day, { from: day, to: day }), spent.day),
    month: view(ofMonth, spent.month),
    scanned,
    notScanned,
    process: {
      instance: deps.settings.instance ?? null,
      since: new Date(deps.sinceMs).toISOString(),
      operations: roundedOperations(deps.meter.total()),
      overhead: mapValues(deps.overhead.totals(), roundedOperations),
    },
    notIncluded:
      notScanned === 0 ? NOT_INCLUDED : [...NOT_INCLUDED, `${notScanned} open batches: a request reads ${MAX_OPEN}`],
  };
  return json(cost);
}

const mapValues = <A, B>(values: Record<OverheadName, A>, map: (value: A) => B): Record<OverheadName, B> => ({
  requests: map(values.requests),
  drains: map(values.drains),
  sweep: map(values.sweep),
  inbox: map(values.inbox),
});

function lastDayOfMonth(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return dateOf(Date.UTC(year, month, 0));
}

interface Spent {
  day: PeriodSpent;
  month: PeriodSpent;
  /** The first day of the month that was read. */
  from: string;
  scanned: number;
  notScanned: number;
}

async function readSpent(
  { table, basis, maxLines = MAX_LINES }: Pick<CostHttp, 'table' | 'basis' | 'maxLines'>,
  month: { from: string; to: string },
  day: string,
): Promise<Spent> {
  const open = await openIds(table);
  const sums: Spent = { day: NOTHING_SPENT, month: NOTHING_SPENT, from: month.to, scanned: 0, notScanned: 0 };
  const add = ({ id, workload, accepted, spent }: IndexEntry): void => {
    const { operations } = spent;
    const batch = { operations, drainOperations: estimateDrains(basis, { workload, ...spent }), items: accepted };
    if (batchDate(id) >= sums.from) sums.month = addBatch(sums.month, batch);
    if (batchDate(id) === day) sums.day = addBatch(sums.day, batch);
    sums.scanned += 1;
  };
  const addLines = async (days: { first: string; last: string }): Promise<void> => {
    for await (const entry of batchesOfDays(table, days)) {
      if (!isFinished(entry.state)) open.add(entry.id);
      else if (!open.has(entry.id)) add(entry);
    }
  };
  for (const week of weeksOf(month)) {
    sums.from = week.first;
    await addLines(week);
    if (sums.scanned >= maxLines) break;
  }
  if (day < sums.from) await addLines({ first: day, last: day });
  const isWanted = (date: string): boolean => date === day || (date >= sums.from && date <= month.to);
  const wanted = [...open].filter((id) => isWanted(batchDate(id))).sort((a, b) => (a < b ? 1 : -1));
  const read = await inParallel(wanted.slice(0, MAX_OPEN), READS_AT_ONCE, (id) => readBatch(table, id));
  for (const found of read) if (found && found.row.deletingAt === undefined) add(indexEntryOf(found.row));
  sums.notScanned = Math.max(0, wanted.length - MAX_OPEN);
  return sums;
}

function passedDays({ from, to }: { from: string; to: string }, nowMs: number): number {
  const startMs = Date.parse(from);
  return Math.min(Math.max(0, nowMs - startMs), Date.parse(to) + DAY_MS - startMs) / DAY_MS;
}

function view(
  { from, to, work, wakeUps, storageOperations, idle, totalUsd }: PeriodCost & { from: string; to: string },
  spent: PeriodSpent,
): CostPeriod {
  return {
    from,
    to,
    batches: spent.batches,
    items: spent.items,
    storageOperations: rounded(storageOperations, 1),
    work: { how: 'counted', operations: roundedOperations(work.operations), usd: rounded(work.usd, 6) },
    wakeUps: {
      how: 'computed',
      actions: rounded(wakeUps.actions, 2),
      executions: {
        count: rounded(wakeUps.executions.count, 2),
        gbSeconds: rounded(wakeUps.executions.gbSeconds, 3),
      },
      operations: roundedOperations(wakeUps.operations),
      usd: rounded(wakeUps.usd, 6),
    },
    idle: { how: 'computed', lines: idle.lines.map(roundedLine), usd: rounded(idle.usd, 6) },
    totalUsd: rounded(totalUsd, 6),
    usdPerMillionItems: spent.items === 0 ? null : rounded((totalUsd / spent.items) * 1_000_000, 6),
  };
}

type IdleLineView = CostPeriod['idle']['lines'][number];

const roundedLine = ({ who, does, count, usd, unverified }: IdleLineView): IdleLineView => ({
  who,
  does,
  count: count === null ? null : rounded(count, 2),
  usd: usd === null ? null : rounded(usd, 6),
  unverified,
});

/** A schedule of another form is counted as every 15 minutes. Without an inbox schedule, the inbox is not polled. */
const deploymentOf = (
  { sweepSchedule, inboxSchedule }: CostHttp['settings'],
  { workloads }: CostHttp['registry'],
): KnownDeployment => ({
  pools: new Set(workloads.map(({ pool }) => pool)).size,
  sweepMinutes: minutesOf(sweepSchedule) ?? 15,
  inboxMinutes: inboxSchedule === undefined ? 0 : (minutesOf(inboxSchedule) ?? 15),
});
