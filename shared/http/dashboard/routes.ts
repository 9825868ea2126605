import type { Route } from '../edge/route.ts';

/** The routes of the dashboard; without a key, as they show no data. */
export const DASHBOARD_ROUTES: readonly Route[] = [
  {
    name: 'dashboard',
    method: 'GET',
    route: 'dashboard',
    audience: 'anyone',
    summary: 'The dashboard: a page without data, which asks for a key',
    answers: [{ status: 200, description: 'The page', content: { 'text/html': 'text' } }],
    problems: [],
  },
  {
    name: 'dashboard-file',
    method: 'GET',
    route: 'dashboard/{file}',
    audience: 'anyone',
    summary: 'A script, style sheet or picture of that page',
    answers: [
      {
        status: 200,
        description: 'The file; it never changes under its name',
        content: { 'text/javascript': 'text', 'text/css': 'text', 'image/svg+xml': 'text' },
      },
    ],
    problems: ['not-found'],
  },
];
