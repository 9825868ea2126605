import { app } from '@azure/functions';
import { answering } from '../shared/http/edge/answers.ts';
import { deleteInboxFile } from '../shared/http/inbox/rejected-files.ts';
import { pipeline } from './app.ts';

app.http('delete-inbox-file', {
  route: 'inbox',
  methods: ['DELETE'],
  authLevel: 'function',
  handler: answering((request) => deleteInboxFile(pipeline.deps(), request)),
});
