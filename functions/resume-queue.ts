import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { resumeQueue } from '../shared/http/queues/pause-queue.ts';
import { durableClient, gateWith, getDrainClient, registry, settings } from './app.ts';

app.http('resume-queue', {
  route: 'queues/{queue}/resume',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    resumeQueue({ registry, pool: settings.pool, gate: gateWith(getDrainClient(context)) }, request),
  ),
});
