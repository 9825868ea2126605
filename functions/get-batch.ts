import { app } from '@azure/functions';
import { getBatch } from '../shared/http/batches/get-batch.ts';
import { answering, basis, pipeline } from './app.ts';

app.http('get-batch', {
  route: 'batches/{id}',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getBatch({ ...pipeline.deps(), basis, links: pipeline.settings.links }, request)),
});
