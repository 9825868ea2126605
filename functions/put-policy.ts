import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { putPolicy } from '../shared/http/queues/policy.ts';
import { clients, registry, settings } from './app.ts';

app.http('put-policy', {
  route: 'queues/{queue}/policy',
  methods: ['PUT'],
  authLevel: 'function',
  handler: answering((request) =>
    putPolicy({ table: clients().gates, registry, capacity: settings.capacity }, request),
  ),
});
