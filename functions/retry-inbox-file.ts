import { app } from '@azure/functions';
import { retryInboxFile } from '../shared/http/inbox/rejected-files.ts';
import { answering, pipeline } from './app.ts';

app.http('retry-inbox-file', {
  route: 'inbox/retry',
  methods: ['POST'],
  authLevel: 'function',
  handler: answering((request) => retryInboxFile(pipeline.deps(), request)),
});
