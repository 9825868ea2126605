import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { batchesOfDays } from '../../batches/listing/index-rows.ts';
import { readActions } from '../../commands/audit-log.ts';
import { weeksOf } from '../../days.ts';
import type { Table } from '../../storage/table.ts';
import type { ReceiptBasis } from '../batches/view/receipt-view.ts';
import { json } from '../edge/answers.ts';
import type { Days } from '../edge/days.ts';
import { daysOf, workloadNameOf } from '../edge/request/parameters.ts';
import { createHistoryDays } from './history-days.ts';
import type { History } from './schemas.ts';

export interface HistoryHttp {
  table: Table;
  now: () => number;
  basis: ReceiptBasis;
}

/** Maximum number of days per request, and the default. */
export const HISTORY_DAYS = { fallback: 30, most: 92 };
/** Lines are read week by week, newest first, up to this number. Each thousand is one operation. */
const MAX_LINES = 200_000;
const MAX_ACTIONS = 500;

/** Actions that can affect the values of the charts. */
const MARKED = [
  ...['pause-queue', 'resume-queue', 'clear-queue', 'put-policy'],
  ...['pause-batch', 'resume-batch', 'cancel-batch', 'redrive-dead-letters', 'discard-dead-letters'],
];

/** GET history: the figures of the batches per day and workload, and the actions of operators in this time. */
export async function getHistory(deps: HistoryHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const asked = daysOf(request, { nowMs: deps.now(), ...HISTORY_DAYS });
  const { from, ...read } = await readDays(deps, { ...asked, workload: workloadNameOf(request) });
  const { actions } = await readActions(deps.table, { from, to: asked.to, actions: MARKED, limit: MAX_ACTIONS });
  const markers = actions
    .filter(({ status }) => status < 400)
    .map(({ at, action, target, by }) => ({ at, action, target, by }));
  const { name: sheet, currency } = deps.basis.prices;
  const answer: History = { from, to: asked.to, ...read, sheet, currency, markers };
  return json(answer);
}

/** Reads weeks from the newest to the oldest, so that the oldest are omitted if there are too many batches. */
async function readDays(
  { table, basis }: HistoryHttp,
  { from, to, workload }: Days & { workload: string | undefined },
): Promise<Pick<History, 'from' | 'days' | 'unverified' | 'scanned'>> {
  const history = createHistoryDays(basis);
  const workloads = workload === undefined ? undefined : [workload];
  let [oldest, scanned] = [to, 0];
  for (const week of weeksOf({ from, to })) {
    oldest = week.first;
    for await (const entry of batchesOfDays(table, { ...week, workloads })) {
      scanned += 1;
      history.add(entry);
    }
    if (scanned >= MAX_LINES) break;
  }
  return { from: oldest, days: history.days(), unverified: history.unverified(), scanned };
}
