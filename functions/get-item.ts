import { app } from '@azure/functions';
import { getItem } from '../shared/http/items/get-item.ts';
import { answering, pipeline } from './app.ts';

app.http('get-item', {
  route: 'batches/{id}/items/{position}',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getItem(pipeline.deps(), request)),
});
