import { JSON_TYPE, query, type Route } from '../edge/route.ts';
import { overviewSchema } from './schemas.ts';

/** The route of the overview. */
export const OVERVIEW_ROUTES: readonly Route[] = [
  {
    name: 'get-overview',
    method: 'GET',
    route: 'overview',
    audience: 'operator',
    summary: 'What needs an operator now: late batches, pauses, dead letters of a day, and what else went wrong',
    parameters: [query('fresh', 'Measure and read everything now, nothing from memory', { type: 'boolean' })],
    answers: [{ status: 200, description: 'The overview', content: { [JSON_TYPE]: overviewSchema } }],
    problems: [],
  },
];
