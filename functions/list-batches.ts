import { app } from '@azure/functions';
import { answering } from '../shared/http/answers.ts';
import { listBatches } from '../shared/http/batches/list-batches.ts';
import { clients, now } from './app.ts';

app.http('list-batches', {
  route: 'batches',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => listBatches({ table: clients().batches, now }, request)),
});
