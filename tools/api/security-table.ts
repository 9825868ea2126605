import { isOpen, type Route } from '../../shared/http/edge/route.ts';

const BEGIN = '<!-- Written by `npm run generate` from the table of routes. -->';
const END = '<!-- End of what is written. -->';

/** Returns docs/security.md with the current table of who may call what, between its two markers. */
export function withSecurityTable(page: string, routes: readonly Route[]): string {
  const [before, rest] = splitAt(page, BEGIN);
  const [, after] = splitAt(rest, END);
  const rows = routes.map(
    (route) =>
      `| \`${route.name}\` | \`${route.method} ${route.path}\` | ${isOpen(route) ? 'anyone' : route.audience.join(', ')} |`,
  );
  const lines = [BEGIN, '| function | route | who |', '| --- | --- | --- |', ...rows, END];
  return `${before}${lines.join('\n')}${after}`;
}

function splitAt(text: string, marker: string): [string, string] {
  const at = text.indexOf(marker);
  if (at < 0) throw new Error(`Expected the marker ${marker}, found none.`);
  return [text.slice(0, at), text.slice(at + marker.length)];
}
