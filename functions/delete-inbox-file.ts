import { app } from '@azure/functions';
import { deleteInboxFile } from '../shared/http/inbox/rejected-files.ts';
import { answering, pipeline } from './app.ts';

app.http('delete-inbox-file', {
  route: 'inbox',
  methods: ['DELETE'],
  authLevel: 'function',
  handler: answering((request) => deleteInboxFile(pipeline.deps(), request)),
});
