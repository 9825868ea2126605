import { app } from '@azure/functions';
import { putPolicy } from '../shared/http/queues/policy.ts';
import { answering, pipeline } from './app.ts';

const { registry, settings } = pipeline;

app.http('put-policy', {
  route: 'queues/{queue}/policy',
  methods: ['PUT'],
  authLevel: 'function',
  handler: answering((request) =>
    putPolicy({ table: pipeline.clients().gates, registry, capacity: settings.capacity }, request),
  ),
});
