import { app } from '@azure/functions';
import { redriveDeadLetters } from '../shared/http/dead-letters/redrive-dead-letters.ts';
import { answering } from '../shared/http/edge/answers.ts';
import { durableClient, getDrainClient, operatorDeps } from './app.ts';

app.http('redrive-dead-letters', {
  route: 'batches/{id}/dead-letters/redrive',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) => redriveDeadLetters(operatorDeps(getDrainClient(context)), request)),
});
