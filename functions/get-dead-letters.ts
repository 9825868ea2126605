import { app } from '@azure/functions';
import { getDeadLetters } from '../shared/http/dead-letters/get-dead-letters.ts';
import { answering, pipeline } from './app.ts';

app.http('get-dead-letters', {
  route: 'batches/{id}/dead-letters',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => getDeadLetters(pipeline.deps(), request)),
});
