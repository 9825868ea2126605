import { app } from '@azure/functions';
import { listBatches } from '../shared/http/batches/list-batches.ts';
import { answering } from '../shared/http/edge/answers.ts';
import { clients, now } from './app.ts';

app.http('list-batches', {
  route: 'batches',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => listBatches({ table: clients().batches, now }, request)),
});
