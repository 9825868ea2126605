/** The page and files of the dashboard: a page without data, which calls the API with the key that its user enters. */
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { Problem } from '../../errors.ts';
import type { DashboardAssets } from '../edge/app.ts';
import type { Route } from '../edge/route.ts';

/** No resources from other origins, no inline script or style, and no framing by other pages. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  // Makes the browser refuse innerHTML and similar sinks, so that data can only become text.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const NOT_BUILT = '<!doctype html><title>Sluice</title><p>The dashboard is not built: run <code>npm run build</code>.';

/**
 * GET dashboard: the page. It is small and contains the file names of this deployment, so browsers must always revalidate it.
 */
export function dashboardPage(assets: DashboardAssets | undefined, request: HttpRequest): HttpResponseInit {
  const headers = { ...HEADERS, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
  if (assets === undefined) return { status: 503, headers, body: NOT_BUILT };
  const base = new URL(request.url).pathname.endsWith('/') ? '' : 'dashboard/';
  return { headers, body: assets.page.replaceAll('{base}', base) };
}

/** GET dashboard/{file}: one of the built files. Names of other files are refused. */
export function dashboardFile(assets: DashboardAssets | undefined, request: HttpRequest): HttpResponseInit {
  const name = request.params.file ?? '';
  const file = assets?.files.find((each) => each.name === name);
  if (!file) throw new Problem('not-found', `The dashboard has no file "${name.slice(0, 80)}".`);
  const headers = {
    ...HEADERS,
    'content-type': file.type,
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
  };
  if (file.brotli === undefined || !acceptsBrotli(request)) return { headers, body: file.text };
  return { headers: { ...headers, 'content-encoding': 'br' }, body: Buffer.from(file.brotli, 'base64') };
}

const acceptsBrotli = ({ headers }: HttpRequest): boolean =>
  (headers.get('accept-encoding') ?? '').split(',').some((each) => each.trim().toLowerCase() === 'br');

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
