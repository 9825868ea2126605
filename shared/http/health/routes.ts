import { JSON_TYPE, type Route } from '../edge/route.ts';
import { healthSchema } from './schemas.ts';

/** The route of health probes; without a key, as it shows no data. */
export const HEALTH_ROUTES: readonly Route[] = [
  {
    name: 'health',
    method: 'GET',
    route: 'health',
    audience: 'anyone',
    summary: 'Whether the app answers; no storage call unless asked for',
    parameters: [
      {
        in: 'query',
        name: 'deep',
        description: 'Ask storage too; answers are kept for 30 s',
        schema: { type: 'boolean' },
      },
    ],
    answers: [
      { status: 200, description: 'It does', content: { [JSON_TYPE]: healthSchema } },
      { status: 503, description: 'Storage does not', content: { [JSON_TYPE]: healthSchema } },
    ],
    problems: [],
  },
];
