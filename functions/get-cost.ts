import { app } from '@azure/functions';
import { getCost } from '../shared/http/cost/get-cost.ts';
import { answering, pipeline, prices } from './app.ts';

const { registry, settings } = pipeline;

app.http('get-cost', {
  route: 'cost',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { table, gate, meter } = pipeline.deps();
    return getCost(
      {
        table,
        gates: gate.table,
        meter,
        overhead: pipeline.overhead,
        sinceMs: performance.timeOrigin,
        prices,
        settings,
        registry,
      },
      request,
    );
  }),
});
