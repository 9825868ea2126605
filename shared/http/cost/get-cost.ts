import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { batchDate } from '../../contract/names.ts';
import type { Meter } from '../../cost/meter.ts';
import type { Overhead } from '../../cost/overhead.ts';
import {
  addBatch,
  type KnownDeployment,
  minutesOf,
  NOTHING_SPENT,
  type PeriodSpent,
  periodCost,
} from '../../cost/period.ts';
import { DAY_MS, dateOf } from '../../days.ts';
import type { Settings } from '../../settings.ts';
import type { Table } from '../../storage/table.ts';
import type { Registry } from '../../workload/registry.ts';
import { MAX_OPEN, readBatches } from '../batches/read-days.ts';
import { type ReceiptBasis, rounded, spentOf } from '../batches/view/receipt-view.ts';
import { json } from '../edge/answers.ts';
import type { Days } from '../edge/days.ts';
import { dayOf } from '../edge/request/parameters.ts';
import { jsonAnswer, query, type Route } from '../edge/route.ts';
import { type Cost, costSchema } from './schemas.ts';

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

const MAX_LINES = 200_000;

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
  const to = lastDayOfMonth(day);
  const month = await readSpent(deps, { from: `${day.slice(0, 7)}-01`, to }, day);
  const apart = day < month.from ? await readSpent(deps, { from: day, to: day }, day) : undefined;
  const notScanned = month.notScanned + (apart?.notScanned ?? 0);
  const costOf = (sum: PeriodSpent, days: Days) =>
    periodCost(
      sum,
      { days: passedDays(days, nowMs), deployment: deploymentOf(deps.settings, deps.registry) },
      deps.basis,
    );
  const ofDay = costOf((apart ?? month).ofDay, { from: day, to: day });
  const ofMonth = costOf(month.all, { from: month.from, to });
  const cost: Cost = {
    sheet: deps.basis.prices.name,
    currency: deps.basis.prices.currency,
    unverified: ofMonth.unverified,
    day: { from: day, to: day, ...ofDay.cost },
    month: { from: month.from, to, ...ofMonth.cost },
    scanned: month.all.batches + (apart?.all.batches ?? 0),
    notScanned,
    process: {
      instance: deps.settings.instance ?? null,
      since: new Date(deps.sinceMs).toISOString(),
      operations: deps.meter.total(),
      overhead: deps.overhead.totals(),
    },
    notIncluded:
      notScanned === 0 ? NOT_INCLUDED : [...NOT_INCLUDED, `${notScanned} open batches: a request reads ${MAX_OPEN}`],
  };
  return json(rounded(cost));
}

function lastDayOfMonth(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number);
  return dateOf(Date.UTC(year, month, 0));
}

/** Sums what the batches of some days have spent, and those of `day` alone. */
async function readSpent(
  { table, basis, maxLines = MAX_LINES }: Pick<CostHttp, 'table' | 'basis' | 'maxLines'>,
  days: Days,
  day: string,
) {
  const sums = { all: NOTHING_SPENT, ofDay: NOTHING_SPENT };
  const read = await readBatches(table, { ...days, maxLines }, (entry) => {
    const spent = spentOf(entry, basis);
    sums.all = addBatch(sums.all, spent);
    if (batchDate(entry.id) === day) sums.ofDay = addBatch(sums.ofDay, spent);
  });
  return { ...sums, ...read };
}

function passedDays({ from, to }: Days, nowMs: number): number {
  const startMs = Date.parse(from);
  return Math.min(Math.max(0, nowMs - startMs), Date.parse(to) + DAY_MS - startMs) / DAY_MS;
}

/** A schedule of another form is counted as every 15 minutes. Without an inbox schedule, the inbox is not polled. */
const deploymentOf = (
  { sweepSchedule, inboxSchedule }: CostHttp['settings'],
  { workloads }: CostHttp['registry'],
): KnownDeployment => ({
  pools: new Set(workloads.map(({ pool }) => pool)).size,
  sweepMinutes: minutesOf(sweepSchedule) ?? 15,
  inboxMinutes: inboxSchedule === undefined ? 0 : (minutesOf(inboxSchedule) ?? 15),
});

export const COST_ROUTES = [
  {
    name: 'get-cost',
    method: 'GET',
    path: 'cost',
    audience: ['operator'],
    summary: 'The cost of a day and its month: work, wake-ups, idle resources',
    parameters: [query('day', 'A date in UTC. Defaults to today', { type: 'string', format: 'date' })],
    answers: [jsonAnswer(200, 'The cost', costSchema)],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => {
      const { table, meter } = app.deps();
      const { basis, overhead, startedMs: sinceMs, settings, registry } = app;
      return getCost({ table, meter, overhead, sinceMs, basis, settings, registry }, request);
    },
  },
] as const satisfies readonly Route[];
