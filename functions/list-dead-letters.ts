import { app } from '@azure/functions';
import { listDeadLetters } from '../shared/http/dead-letters/list-dead-letters.ts';
import { answering, pipeline } from './app.ts';

app.http('list-dead-letters', {
  route: 'dead-letters',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { table, meter } = pipeline.deps();
    return listDeadLetters({ table, now: meter.serviceNowMs }, request);
  }),
});
