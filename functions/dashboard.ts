import { app } from '@azure/functions';
import { dashboardPage } from '../shared/http/dashboard/dashboard.ts';
import { assets } from '../web/assets.ts';
import { answering } from './app.ts';

app.http('dashboard', {
  route: 'dashboard',
  methods: ['GET'],
  authLevel: 'anonymous',
  handler: answering(async (request) => dashboardPage(assets, request)),
});
