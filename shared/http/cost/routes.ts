import { JSON_TYPE, type Route } from '../edge/route.ts';
import { costSchema } from './schemas.ts';

/** The route of the cost page. */
export const COST_ROUTES: readonly Route[] = [
  {
    name: 'get-cost',
    method: 'GET',
    route: 'cost',
    audience: 'operator',
    summary: 'The cost of a day and its month: work, wake-ups, idle resources',
    parameters: [
      {
        in: 'query',
        name: 'day',
        description: 'A date in UTC. Defaults to today',
        schema: { type: 'string', format: 'date' },
      },
    ],
    answers: [{ status: 200, description: 'The cost', content: { [JSON_TYPE]: costSchema } }],
    problems: ['invalid-parameter'],
  },
];
