import { app } from '@azure/functions';
import { getResults } from '../shared/http/batches/downloads/get-results.ts';
import { answering, pipeline } from './app.ts';

app.http('get-results', {
  route: 'batches/{id}/results',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getResults(pipeline.deps(), request)),
});
