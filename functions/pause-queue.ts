import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { pauseQueue } from '../shared/http/queues/pause-queue.ts';
import { clients, now, registry } from './app.ts';

app.http('pause-queue', {
  route: 'queues/{queue}/pause',
  methods: ['POST'],
  authLevel: 'function',
  handler: answering((request) => pauseQueue({ registry, gate: { table: clients().gates, now } }, request)),
});
