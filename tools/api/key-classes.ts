import type { Audience, Route } from '../../shared/http/edge/route.ts';

/** Returns the lists of functions by the holders of their keys, which infra/keys.sh reads. */
export function keyClasses(routes: readonly Route[]): string {
  const namesOf = (who: Audience): string =>
    routes
      .filter(({ audience }) => audience.includes(who))
      .map(({ name }) => name)
      .join(' ');
  return `# The functions of each class of callers. Written by \`npm run generate\` from the table of routes.
client='${namesOf('client')}'
operator='${namesOf('operator')}'
`;
}
