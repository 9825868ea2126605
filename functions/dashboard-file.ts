import { app } from '@azure/functions';
import { answering } from '../shared/http/answers.ts';
import { dashboardFile } from '../shared/http/dashboard.ts';
import { assets } from '../web/assets.ts';

app.http('dashboard-file', {
  route: 'dashboard/{file}',
  methods: ['GET'],
  authLevel: 'anonymous',
  handler: answering(async (request) => dashboardFile(assets, request)),
});
