import { app } from '@azure/functions';
import { resumeOverHttp } from '../shared/http/batches/pause-batch.ts';
import { answering, basis, durableClient, getDrainClient, pipeline } from './app.ts';

app.http('resume-batch', {
  route: 'batches/{id}/resume',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    resumeOverHttp({ deps: pipeline.requestDeps(getDrainClient(context)), basis }, request),
  ),
});
