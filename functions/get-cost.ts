import { app } from '@azure/functions';
import { answering } from '../shared/http/answers.ts';
import { getCost } from '../shared/http/get-cost.ts';
import { pipeline, prices } from './app.ts';

const { settings } = pipeline;

app.http('get-cost', {
  route: 'cost',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { table, meter } = pipeline.deps();
    return getCost({ table, meter, sinceMs: performance.timeOrigin, prices, settings }, request);
  }),
});
