import { app } from '@azure/functions';
import { drainNow } from '../shared/http/queues/pause-queue.ts';
import { answering, durableClient, getDrainClient, pipeline } from './app.ts';

app.http('drain-now', {
  route: 'queues/{queue}/drain',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) => drainNow(pipeline.wakeDeps(getDrainClient(context)), request)),
});
