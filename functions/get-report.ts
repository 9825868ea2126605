import { app } from '@azure/functions';
import { getReport } from '../shared/http/batches/downloads/get-report.ts';
import { answering, pipeline } from './app.ts';

app.http('get-report', {
  route: 'batches/{id}/report',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getReport(pipeline.deps(), request)),
});
