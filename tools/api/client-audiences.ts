import { isOpen, type Route } from '../../shared/http/edge/route.ts';

/** Returns the file of the client that says whose key opens a route: it does not load the table, which loads the handlers. */
export const clientAudiences = (
  routes: readonly Route[],
): string => `/** The routes that need no key of an operator. Written by \`npm run generate\` from the table of routes. */
import type { RouteKey } from './types.ts';

export const OPEN_ROUTES: readonly RouteKey[] = [
${listOf(routes.filter(isOpen))}
];

export const CLIENT_ROUTES: readonly RouteKey[] = [
${listOf(routes.filter(({ audience }) => audience.includes('client')))}
];
`;

const listOf = (routes: readonly Route[]): string =>
  routes
    .map(({ method, path }) => `  '${method} ${path}',`)
    .toSorted()
    .join('\n');
