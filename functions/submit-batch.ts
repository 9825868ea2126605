import { app } from '@azure/functions';
import { submitOverHttp } from '../shared/http/batches/submit-batch.ts';
import { answering, durableClient, getDrainClient, pipeline, prices, uploadSlots } from './app.ts';

const { registry, settings } = pipeline;

app.http('submit-batch', {
  route: 'workloads/{workload}/batches',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    submitOverHttp(
      { registry, settings, prices, deps: pipeline.requestDeps(getDrainClient(context)), slots: uploadSlots },
      request,
    ),
  ),
});
