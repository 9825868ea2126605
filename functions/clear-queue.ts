import { app } from '@azure/functions';
import { clearOverHttp } from '../shared/http/queues/clear-queue.ts';
import { answering, durableClient, getDrainClient, pipeline } from './app.ts';

app.http('clear-queue', {
  route: 'queues/{queue}/clear',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) => clearOverHttp(pipeline.requestDeps(getDrainClient(context)), request)),
});
