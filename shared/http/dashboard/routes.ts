import type { Route } from '../edge/route.ts';

/** The routes of the dashboard. They require no key, because they return no data. */
export const DASHBOARD_ROUTES: readonly Route[] = [
  {
    name: 'dashboard',
    method: 'GET',
    route: 'dashboard',
    audience: 'anyone',
    summary: 'The dashboard: a page without data, which asks its user for a key',
    answers: [{ status: 200, description: 'The page', content: { 'text/html': 'text' } }],
    problems: [],
  },
  {
    name: 'dashboard-file',
    method: 'GET',
    route: 'dashboard/{file}',
    audience: 'anyone',
    summary: 'A script, style sheet or image of the dashboard',
    answers: [
      {
        status: 200,
        description: 'The file. The content under a name never changes',
        content: { 'text/javascript': 'text', 'text/css': 'text', 'image/svg+xml': 'text' },
      },
    ],
    problems: ['not-found'],
  },
];
