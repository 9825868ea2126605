import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { resumeQueue } from '../shared/http/queues/pause-queue.ts';
import { durableClient, getDrainClient, pipeline } from './app.ts';

const { registry, settings } = pipeline;

app.http('resume-queue', {
  route: 'queues/{queue}/resume',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    resumeQueue({ registry, pool: settings.pool, gate: pipeline.gateWith(getDrainClient(context)) }, request),
  ),
});
