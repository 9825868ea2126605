import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { listQueues } from '../shared/http/queues/list-queues.ts';
import { clients, depthOf, registry, settings } from './app.ts';

app.http('list-queues', {
  route: 'queues',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) =>
    listQueues({ table: clients().gates, registry, pool: settings.pool, depthOf }, request),
  ),
});
