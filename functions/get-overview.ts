import { app } from '@azure/functions';
import { createOverview } from '../shared/http/overview/get-overview.ts';
import { answering, pipeline } from './app.ts';

const { settings } = pipeline;

app.http('get-overview', {
  route: 'overview',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering(createOverview(() => ({ ...pipeline.deps(), pool: settings.pool }))),
});
