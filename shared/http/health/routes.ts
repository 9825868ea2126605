import { JSON_TYPE, type Route } from '../edge/route.ts';
import { healthSchema } from './schemas.ts';

/** The route of health probes. It requires no key, because it returns no data. */
export const HEALTH_ROUTES: readonly Route[] = [
  {
    name: 'health',
    method: 'GET',
    route: 'health',
    audience: 'anyone',
    summary: 'Whether the app answers. Calls storage only on request',
    parameters: [
      {
        in: 'query',
        name: 'deep',
        description: 'Check storage too. The result is cached for 30 s',
        schema: { type: 'boolean' },
      },
    ],
    answers: [
      { status: 200, description: 'The app answers', content: { [JSON_TYPE]: healthSchema } },
      { status: 503, description: 'Storage does not answer correctly', content: { [JSON_TYPE]: healthSchema } },
    ],
    problems: [],
  },
];
