import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { sweepOverHttp } from '../shared/http/sweep/run-sweep.ts';
import { durableClient, getDrainClient, pipeline } from './app.ts';

app.http('run-sweep', {
  route: 'sweep',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((_request, context) => sweepOverHttp(pipeline.sweepDeps(getDrainClient(context)))),
});
