import { jsonAnswer, query, type Route } from '../edge/route.ts';
import { createHealth } from './health.ts';
import { healthSchema } from './schemas.ts';

/** The route of health probes. It requires no key, because it returns no data. */
export const HEALTH_ROUTES = [
  {
    name: 'health',
    method: 'GET',
    path: 'health',
    audience: [],
    summary: 'Whether the app answers. Calls storage only on request',
    parameters: [query('deep', 'Check storage too. The result is cached for 30 s', { type: 'boolean' })],
    answers: [
      jsonAnswer(200, 'The app answers', healthSchema),
      jsonAnswer(503, 'Storage does not answer correctly', healthSchema),
    ],
    problems: [],
    handler: createHealth,
  },
] as const satisfies readonly Route[];
