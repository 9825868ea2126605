import { readFileSync } from 'node:fs';
import type { Route } from '../../shared/http/edge/route.ts';
import { openApiDocument } from '../../shared/http/openapi/openapi.ts';
import { RESOURCES, ROUTES } from '../../shared/http/routes.ts';
import { clientAudiences } from './client-audiences.ts';
import { keyClasses } from './key-classes.ts';
import { type Described, resourcePage } from './resource-page.ts';
import { withSecurityTable } from './security-table.ts';

const ROOT = new URL('../../', import.meta.url);
const SECURITY = 'docs/security.md';

/** Returns the files that are written from the table of routes: path in the repository → text. */
export function generatedFiles(): Readonly<Record<string, string>> {
  const document = openApiDocument(ROUTES) as unknown as Described;
  const pages = Object.entries<readonly Route[]>(RESOURCES).map(([name, routes]) => [
    `docs/api/${name}.md`,
    resourcePage(name, routes, document),
  ]);
  return {
    'shared/client/audiences.ts': clientAudiences(ROUTES),
    'infra/key-classes.sh': keyClasses(ROUTES),
    [SECURITY]: withSecurityTable(readFileSync(new URL(SECURITY, ROOT), 'utf8'), ROUTES),
    ...Object.fromEntries(pages),
  };
}
