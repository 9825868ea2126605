import { app } from '@azure/functions';
import { listQueues } from '../shared/http/queues/list-queues.ts';
import { answering, pipeline } from './app.ts';

const { settings } = pipeline;

app.http('list-queues', {
  route: 'queues',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => listQueues({ ...pipeline.deps(), pool: settings.pool }, request)),
});
