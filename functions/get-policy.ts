import { app } from '@azure/functions';
import { getPolicy } from '../shared/http/queues/policy.ts';
import { answering, pipeline } from './app.ts';

const { registry, settings } = pipeline;

app.http('get-policy', {
  route: 'queues/{queue}/policy',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) =>
    getPolicy({ table: pipeline.clients().gates, registry, capacity: settings.capacity }, request),
  ),
});
