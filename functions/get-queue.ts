import { app } from '@azure/functions';
import { getQueue } from '../shared/http/queues/get-queue.ts';
import { answering, pipeline } from './app.ts';

const { settings } = pipeline;

app.http('get-queue', {
  route: 'queues/{queue}',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) =>
    getQueue({ ...pipeline.deps(), table: pipeline.clients().gates, capacity: settings.capacity }, request),
  ),
});
