import { app } from '@azure/functions';
import { answering } from '../shared/http/answers.ts';
import { createHealth } from '../shared/http/health.ts';
import { clients, depthOf, registry, settings } from './app.ts';

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
        const { batches, gates, keys, container } = clients();
        return { tables: [batches, gates, keys], container, depthOf };
      },
      nowMs: () => performance.now(),
    }),
  ),
});
