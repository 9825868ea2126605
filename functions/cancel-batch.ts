import { app } from '@azure/functions';
import { cancelOverHttp } from '../shared/http/batches/cancel-batch.ts';
import { answering, basis, durableClient, getDrainClient, pipeline } from './app.ts';

app.http('cancel-batch', {
  route: 'batches/{id}/cancel',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    cancelOverHttp({ deps: pipeline.requestDeps(getDrainClient(context)), basis }, request),
  ),
});
