import { app } from '@azure/functions';
import { deleteOverHttp } from '../shared/http/batches/delete-batch.ts';
import { answering, durableClient, getDrainClient, pipeline } from './app.ts';

app.http('delete-batch', {
  route: 'batches/{id}',
  methods: ['DELETE'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) => deleteOverHttp(pipeline.requestDeps(getDrainClient(context)), request)),
});
