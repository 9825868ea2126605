import { app } from '@azure/functions';
import { submitOverHttp } from '../shared/http/batches/upload/submit-batch.ts';
import { answering, basis, durableClient, getDrainClient, pipeline, uploadPlaces } from './app.ts';

const { registry, settings } = pipeline;

app.http('submit-batch', {
  route: 'workloads/{workload}/batches',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    submitOverHttp(
      { registry, settings, basis, deps: pipeline.requestDeps(getDrainClient(context)), places: uploadPlaces },
      request,
    ),
  ),
});
