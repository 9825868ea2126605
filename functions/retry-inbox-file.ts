import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { retryInboxFile } from '../shared/http/inbox/rejected-files.ts';
import { pipeline } from './app.ts';

app.http('retry-inbox-file', {
  route: 'inbox/retry',
  methods: ['POST'],
  authLevel: 'function',
  handler: answering((request) => retryInboxFile(pipeline.deps(), request)),
});
