import { JSON_TYPE, query, type Route } from '../edge/route.ts';
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
      { status: 200, description: 'The app answers', content: { [JSON_TYPE]: healthSchema } },
      { status: 503, description: 'Storage does not answer correctly', content: { [JSON_TYPE]: healthSchema } },
    ],
    problems: [],
    handler: ({ registry, settings, clients, deps, nowMs }) =>
      createHealth({
        registry,
        pool: settings.pool,
        instance: settings.instance,
        storage: () => {
          const { batches, gates, keys, container } = clients();
          return { tables: [batches, gates, keys], container, depthOf: deps().depthOf };
        },
        nowMs,
      }),
  },
] as const satisfies readonly Route[];
