import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { getPolicy } from '../shared/http/queues/policy.ts';
import { clients, registry, settings } from './app.ts';

app.http('get-policy', {
  route: 'queues/{queue}/policy',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) =>
    getPolicy({ table: clients().gates, registry, capacity: settings.capacity }, request),
  ),
});
