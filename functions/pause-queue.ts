import { app } from '@azure/functions';
import { pauseQueue } from '../shared/http/queues/pause-queue.ts';
import { answering, pipeline } from './app.ts';

app.http('pause-queue', {
  route: 'queues/{queue}/pause',
  methods: ['POST'],
  authLevel: 'function',
  handler: answering((request) => pauseQueue(pipeline.deps(), request)),
});
