import { app } from '@azure/functions';
import { listInbox } from '../shared/http/inbox/list-inbox.ts';
import { listTaking } from '../shared/intake/inbox/operator/progress.ts';
import { answering, pipeline } from './app.ts';

const { registry } = pipeline;

app.http('list-inbox', {
  route: 'inbox',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { container } = pipeline.deps();
    return listInbox({ container, registry, listTaking: () => listTaking({ container }) }, request);
  }),
});
