import { app } from '@azure/functions';
import { importBatch } from '../shared/http/inbox/import-batch.ts';
import { answering, pipeline } from './app.ts';

const { registry, settings } = pipeline;

app.http('import-batch', {
  route: 'workloads/{workload}/batches/from-url',
  methods: ['POST'],
  authLevel: 'function',
  handler: answering((request) => importBatch({ ...pipeline.deps(), registry, settings }, request)),
});
