import type { Route } from '../edge/route.ts';
import { dashboardFile, dashboardPage } from './dashboard.ts';

/** The routes of the dashboard. They require no key, because they return no data. */
export const DASHBOARD_ROUTES = [
  {
    name: 'dashboard',
    method: 'GET',
    path: 'dashboard',
    audience: [],
    summary: 'The dashboard: a page without data, which asks its user for a key',
    answers: [{ status: 200, description: 'The page', content: { 'text/html': 'text' } }],
    problems: [],
    handler: (app) => (request) => dashboardPage(app.assets, request),
  },
  {
    name: 'dashboard-file',
    method: 'GET',
    path: 'dashboard/{file}',
    audience: [],
    summary: 'A script, style sheet or image of the dashboard',
    answers: [
      {
        status: 200,
        description: 'The file. The content under a name never changes',
        content: { 'text/javascript': 'text', 'text/css': 'text', 'image/svg+xml': 'text' },
      },
    ],
    problems: ['not-found'],
    handler: (app) => (request) => dashboardFile(app.assets, request),
  },
] as const satisfies readonly Route[];
