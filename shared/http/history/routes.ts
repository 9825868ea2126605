import { dayParameters } from '../edge/days.ts';
import { JSON_TYPE, query, type Route } from '../edge/route.ts';
import { getHistory, HISTORY_DAYS } from './get-history.ts';
import { historySchema } from './schemas.ts';

/** The route of the history. */
export const HISTORY_ROUTES = [
  {
    name: 'get-history',
    method: 'GET',
    path: 'history',
    audience: ['operator'],
    summary:
      'Throughput, latency, dead letters and cost of finished batches by day and workload, with the actions of operators',
    parameters: [...dayParameters(HISTORY_DAYS), query('workload', 'Only batches of this workload')],
    answers: [{ status: 200, description: 'The history', content: { [JSON_TYPE]: historySchema } }],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => {
      const { table, meter } = app.deps();
      return getHistory({ table, now: meter.serviceNowMs, basis: app.basis }, request);
    },
  },
] as const satisfies readonly Route[];
