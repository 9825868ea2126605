import { app } from '@azure/functions';
import { getHistory } from '../shared/http/history/get-history.ts';
import { answering, pipeline, prices } from './app.ts';

app.http('get-history', {
  route: 'history',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { table, meter } = pipeline.deps();
    return getHistory({ table, now: meter.serviceNowMs, prices }, request);
  }),
});
