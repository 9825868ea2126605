import type { Route } from '../../shared/http/edge/route.ts';

/** Returns the file of the client that says whose key opens a route: it does not load the table, which loads the handlers. */
export function clientAudiences(routes: readonly Route[]): string {
  const lines = routes
    .map(({ method, path, audience }) => `  '${method} ${path}': [${audience.map((who) => `'${who}'`).join(', ')}],`)
    .toSorted();
  return `/** Whose key opens a route. Written by \`npm run generate\` from the table of routes. */
import type { RouteKey } from './types.ts';

export const AUDIENCES: Readonly<Record<RouteKey, readonly ('client' | 'operator')[]>> = {
${lines.join('\n')}
};
`;
}
