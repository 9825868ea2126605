import { app } from '@azure/functions';
import { getHistory } from '../shared/http/history/get-history.ts';
import { answering, basis, pipeline } from './app.ts';

app.http('get-history', {
  route: 'history',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { table, gate, meter } = pipeline.deps();
    return getHistory({ table, gates: gate.table, now: meter.serviceNowMs, ...basis }, request);
  }),
});
