import { app } from '@azure/functions';
import { listBatches } from '../shared/http/batches/list-batches.ts';
import { answering, pipeline } from './app.ts';

app.http('list-batches', {
  route: 'batches',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => listBatches(pipeline.deps(), request)),
});
