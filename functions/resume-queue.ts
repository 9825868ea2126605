import { app } from '@azure/functions';
import { resumeQueue } from '../shared/http/queues/pause-queue.ts';
import { answering, durableClient, getDrainClient, pipeline } from './app.ts';

app.http('resume-queue', {
  route: 'queues/{queue}/resume',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) => resumeQueue(pipeline.wakeDeps(getDrainClient(context)), request)),
});
