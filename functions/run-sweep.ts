import { app } from '@azure/functions';
import { sweepOverHttp } from '../shared/http/sweep/run-sweep.ts';
import { answering, durableClient, getDrainClient, pipeline } from './app.ts';

app.http('run-sweep', {
  route: 'sweep',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((_request, context) => sweepOverHttp(pipeline.sweepDeps(getDrainClient(context)))),
});
