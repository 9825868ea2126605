import { jsonAnswer, query, type Route } from '../edge/route.ts';
import { createOverview } from './get-overview.ts';
import { overviewSchema } from './schemas.ts';

/** The route of the overview. */
export const OVERVIEW_ROUTES = [
  {
    name: 'get-overview',
    method: 'GET',
    path: 'overview',
    audience: ['operator'],
    summary:
      'Everything that currently needs an operator: late batches, pauses, dead letters of a day, and other problems',
    parameters: [query('fresh', 'Measure and read everything now, without caches', { type: 'boolean' })],
    answers: [jsonAnswer(200, 'The overview', overviewSchema)],
    problems: [],
    handler: (app) => createOverview(() => ({ ...app.deps(), pool: app.settings.pool })),
  },
] as const satisfies readonly Route[];
