import { app } from '@azure/functions';
import { getAudit } from '../shared/http/audit/get-audit.ts';
import { answering, pipeline } from './app.ts';

app.http('get-audit', {
  route: 'audit',
  methods: ['GET'],
  authLevel: 'function',
  handler: answering((request) => {
    const { table, gate } = pipeline.deps();
    return getAudit({ table, now: gate.now }, request);
  }),
});
