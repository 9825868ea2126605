import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { readActions } from '../../commands/audit-log.ts';
import type { Table } from '../../storage/table.ts';
import { readLines } from '../batches/read-days.ts';
import type { ReceiptBasis } from '../batches/view/receipt-view.ts';
import { json } from '../edge/answers.ts';
import { dayParameters } from '../edge/days.ts';
import { daysOf, workloadNameOf } from '../edge/request/parameters.ts';
import { jsonAnswer, query, type Route } from '../edge/route.ts';
import { createHistoryDays } from './history-days.ts';
import { type History, historySchema } from './schemas.ts';

export interface HistoryHttp {
  table: Table;
  now: () => number;
  basis: ReceiptBasis;
}

/** Maximum number of days per request, and the default. */
const HISTORY_DAYS = { fallback: 30, most: 92 };
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
  const history = createHistoryDays(deps.basis);
  let scanned = 0;
  const query = { ...asked, workload: workloadNameOf(request), maxLines: MAX_LINES };
  const from = await readLines(deps.table, query, (entry) => {
    scanned += 1;
    history.add(entry);
  });
  const { actions } = await readActions(deps.table, { from, to: asked.to, actions: MARKED, limit: MAX_ACTIONS });
  const markers = actions
    .filter(({ status }) => status < 400)
    .map(({ at, action, target, by }) => ({ at, action, target, by }));
  const { name: sheet, currency } = deps.basis.prices;
  const [days, unverified] = [history.days(), history.unverified()];
  const answer: History = { from, to: asked.to, days, scanned, sheet, currency, unverified, markers };
  return json(answer);
}

export const HISTORY_ROUTES = [
  {
    name: 'get-history',
    method: 'GET',
    path: 'history',
    audience: ['operator'],
    summary:
      'Throughput, latency, dead letters and cost of finished batches by day and workload, with the actions of operators',
    parameters: [...dayParameters(HISTORY_DAYS), query('workload', 'Only batches of this workload')],
    answers: [jsonAnswer(200, 'The history', historySchema)],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => {
      const { table, meter } = app.deps();
      return getHistory({ table, now: meter.serviceNowMs, basis: app.basis }, request);
    },
  },
] as const satisfies readonly Route[];
