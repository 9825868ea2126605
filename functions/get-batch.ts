import { app } from '@azure/functions';
import { answering, json } from '../shared/http/answers.ts';
import { batchView } from '../shared/http/batches/batch-view.ts';
import { batchOf } from '../shared/http/parameters.ts';
import { clients, now, prices } from './app.ts';

app.http('get-batch', {
  route: 'batches/{id}',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering(async (request) =>
    json(batchView((await batchOf(request, clients().batches)).row, now(), prices)),
  ),
});
