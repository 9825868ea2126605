import { app } from '@azure/functions';
import { getItems } from '../shared/http/items/find-items.ts';
import { answering, pipeline } from './app.ts';

const { registry } = pipeline;

app.http('find-items', {
  route: 'batches/{id}/items',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getItems({ ...pipeline.deps(), registry }, request)),
});
