import { app } from '@azure/functions';
import { discardDeadLetters } from '../shared/http/dead-letters/redrive-dead-letters.ts';
import { answering, durableClient, getDrainClient, pipeline, redrivePlaces } from './app.ts';

app.http('discard-dead-letters', {
  route: 'batches/{id}/dead-letters/discard',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    discardDeadLetters({ deps: pipeline.requestDeps(getDrainClient(context)), places: redrivePlaces }, request),
  ),
});
