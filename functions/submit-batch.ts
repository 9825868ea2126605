import { app } from '@azure/functions';
import { MAX_UPLOADS, submitOverHttp } from '../shared/http/batches/submit-batch.ts';
import { answering } from '../shared/http/edge/answers.ts';
import { createSlots } from '../shared/slots.ts';
import { durableClient, getDrainClient, pipeline, prices } from './app.ts';

const { registry, settings } = pipeline;

const slots = createSlots(MAX_UPLOADS);

app.http('submit-batch', {
  route: 'workloads/{workload}/batches',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    submitOverHttp({ registry, settings, prices, deps: pipeline.requestDeps(getDrainClient(context)), slots }, request),
  ),
});
