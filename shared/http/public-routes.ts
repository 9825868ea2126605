import { z } from 'zod';
import { healthSchema } from './operator-schemas.ts';
import type { Route } from './routes.ts';

const JSON_TYPE = 'application/json';

/** The routes without a key: they show no data. */
export const PUBLIC_ROUTES: readonly Route[] = [
  {
    name: 'health',
    method: 'GET',
    route: 'health',
    audience: 'anyone',
    summary: 'Whether the app answers; no storage call unless asked for',
    parameters: [
      {
        in: 'query',
        name: 'deep',
        description: 'Ask storage too; answers are kept for 30 s',
        schema: { type: 'boolean' },
      },
    ],
    answers: [
      { status: 200, description: 'It does', content: { [JSON_TYPE]: healthSchema } },
      { status: 503, description: 'Storage does not', content: { [JSON_TYPE]: healthSchema } },
    ],
    problems: [],
  },
  {
    name: 'openapi',
    method: 'GET',
    route: 'openapi.json',
    audience: 'anyone',
    summary: 'This document',
    answers: [{ status: 200, description: 'OpenAPI 3.1', content: { [JSON_TYPE]: z.record(z.string(), z.unknown()) } }],
    problems: [],
  },
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
