import { app } from '@azure/functions';
import { createHealth } from '../shared/http/health/health.ts';
import { answering, pipeline } from './app.ts';

const { registry, settings } = pipeline;

app.http('health', {
  route: 'health',
  methods: ['GET'],
  authLevel: 'anonymous',
  handler: answering(
    createHealth({
      registry,
      pool: settings.pool,
      instance: settings.instance,
      storage: () => {
        const { batches, gates, keys, container } = pipeline.clients();
        return { tables: [batches, gates, keys], container, depthOf: pipeline.deps().depthOf };
      },
      nowMs: () => performance.now(),
    }),
  ),
});
