import { app } from '@azure/functions';
import { getReport } from '../shared/http/batches/get-report.ts';
import { answering } from '../shared/http/edge/answers.ts';
import { clients } from './app.ts';

app.http('get-report', {
  route: 'batches/{id}/report',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getReport({ table: clients().batches, container: clients().container }, request)),
});
