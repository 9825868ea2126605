import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { getItem } from '../shared/http/items/get-item.ts';
import { pipeline } from './app.ts';

app.http('get-item', {
  route: 'batches/{id}/items/{position}',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getItem(pipeline.deps(), request)),
});
