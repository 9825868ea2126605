import { app } from '@azure/functions';
import { batchView } from '../shared/http/batches/batch-view.ts';
import { answering, json } from '../shared/http/edge/answers.ts';
import { batchOf } from '../shared/http/edge/parameters.ts';
import { pipeline, prices } from './app.ts';

app.http('get-batch', {
  route: 'batches/{id}',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering(async (request) => {
    const { table, gate } = pipeline.deps();
    return json(batchView((await batchOf(request, table)).row, gate.now(), prices));
  }),
});
