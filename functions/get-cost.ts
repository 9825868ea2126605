import { app } from '@azure/functions';
import { getCost } from '../shared/http/cost/get-cost.ts';
import { answering } from '../shared/http/edge/answers.ts';
import { clients, prices, settings } from './app.ts';

app.http('get-cost', {
  route: 'cost',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { batches: table, meter } = clients();
    return getCost({ table, meter, sinceMs: performance.timeOrigin, prices, settings }, request);
  }),
});
