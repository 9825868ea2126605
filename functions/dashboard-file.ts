import { app } from '@azure/functions';
import { dashboardFile } from '../shared/http/dashboard/dashboard.ts';
import { assets } from '../web/assets.ts';
import { answering } from './app.ts';

app.http('dashboard-file', {
  route: 'dashboard/{file}',
  methods: ['GET'],
  authLevel: 'anonymous',
  handler: answering(async (request) => dashboardFile(assets, request)),
});
