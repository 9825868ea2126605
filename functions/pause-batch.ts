import { app } from '@azure/functions';
import { pauseOverHttp } from '../shared/http/batches/pause-batch.ts';
import { answering, basis, pipeline } from './app.ts';

app.http('pause-batch', {
  route: 'batches/{id}/pause',
  methods: ['POST'],
  authLevel: 'function',
  handler: answering((request) => pauseOverHttp({ deps: pipeline.deps(), basis }, request)),
});
