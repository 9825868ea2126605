import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { findItems } from '../shared/http/items/find-items.ts';
import { pipeline } from './app.ts';

const { registry } = pipeline;

app.http('find-items', {
  route: 'batches/{id}/items',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => findItems({ ...pipeline.deps(), registry }, request)),
});
