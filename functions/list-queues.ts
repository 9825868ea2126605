import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { listQueues } from '../shared/http/queues/list-queues.ts';
import { pipeline } from './app.ts';

const { registry, settings } = pipeline;

app.http('list-queues', {
  route: 'queues',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { gate, depthOf } = pipeline.deps();
    return listQueues({ ...gate, registry, pool: settings.pool, depthOf }, request);
  }),
});
