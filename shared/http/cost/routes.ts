import { JSON_TYPE, query, type Route } from '../edge/route.ts';
import { getCost } from './get-cost.ts';
import { costSchema } from './schemas.ts';

/** The route of the cost page. */
export const COST_ROUTES = [
  {
    name: 'get-cost',
    method: 'GET',
    path: 'cost',
    audience: ['operator'],
    summary: 'The cost of a day and its month: work, wake-ups, idle resources',
    parameters: [query('day', 'A date in UTC. Defaults to today', { type: 'string', format: 'date' })],
    answers: [{ status: 200, description: 'The cost', content: { [JSON_TYPE]: costSchema } }],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => {
      const { table, meter } = app.deps();
      const { basis, overhead, startedMs: sinceMs, settings, registry } = app;
      return getCost({ table, meter, overhead, sinceMs, basis, settings, registry }, request);
    },
  },
] as const satisfies readonly Route[];
