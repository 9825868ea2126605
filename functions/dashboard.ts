import { app } from '@azure/functions';
import { answering } from '../shared/http/answers.ts';
import { dashboardPage } from '../shared/http/dashboard.ts';
import { assets } from '../web/assets.ts';

app.http('dashboard', {
  route: 'dashboard',
  methods: ['GET'],
  authLevel: 'anonymous',
  handler: answering(async (request) => dashboardPage(assets, request)),
});
