import { app } from '@azure/functions';
import { getBatch } from '../shared/http/batches/get-batch.ts';
import { answering, pipeline, prices } from './app.ts';

app.http('get-batch', {
  route: 'batches/{id}',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getBatch({ ...pipeline.deps(), prices, links: pipeline.settings.links }, request)),
});
