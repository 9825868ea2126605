import { app } from '@azure/functions';
import { answering } from '../shared/http/answers.ts';
import { submitOverHttp } from '../shared/http/submit-batch.ts';
import { durableClient, getDrainClient, prices, registry, settings, submitDeps } from './app.ts';

app.http('submit-batch', {
  route: 'workloads/{workload}/batches',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    submitOverHttp({ registry, settings, prices, deps: submitDeps(getDrainClient(context)) }, request),
  ),
});
