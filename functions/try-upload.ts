import { app } from '@azure/functions';
import { tryOverHttp } from '../shared/http/batches/upload/try-upload.ts';
import { answering, basis, pipeline, uploadPlaces } from './app.ts';

const { registry, settings } = pipeline;

app.http('try-upload', {
  route: 'workloads/{workload}/try',
  methods: ['POST'],
  authLevel: 'function',
  handler: answering((request) => tryOverHttp({ registry, settings, basis, places: uploadPlaces }, request)),
});
