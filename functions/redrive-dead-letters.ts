import { app } from '@azure/functions';
import { redriveDeadLetters } from '../shared/http/dead-letters/redrive-dead-letters.ts';
import { answering, durableClient, getDrainClient, pipeline, redrivePlaces } from './app.ts';

app.http('redrive-dead-letters', {
  route: 'batches/{id}/dead-letters/redrive',
  methods: ['POST'],
  authLevel: 'function',
  extraInputs: [durableClient],
  handler: answering((request, context) =>
    redriveDeadLetters(
      { deps: pipeline.requestDeps(getDrainClient(context)), settings: pipeline.settings, places: redrivePlaces },
      request,
    ),
  ),
});
