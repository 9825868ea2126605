/** The modules that users import, as package.json declares them, and the table of them in docs/public-api.md. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the reports, relative to the root. */
export const FOLDER = 'docs/api-report';
/** The page that lists the entries. */
export const PAGE = 'docs/public-api.md';

/** One entry of the package. */
export interface Entry {
  /** As it is imported, such as `sluice/client`. */
  name: string;
  /** Its source, relative to the root. The comment at its top says what it is for. */
  source: string;
  /** The file of its built declarations, relative to the root. */
  declarations: string;
}

/** Returns the entries of package.json that are modules. */
export function entriesOf(root: string): Entry[] {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, string | { source: string; default: string }>;
  };
  return Object.entries(exports).flatMap(([path, target]) =>
    typeof target === 'string'
      ? []
      : [
          {
            name: `${name}${path.slice(1)}`,
            source: target.source.slice('./'.length),
            declarations: target.default.replace(/^\.\/(.*)\.js$/, '$1.d.ts'),
          },
        ],
  );
}

/** Returns the name of the report of an entry, without its folder. */
export const reportName = ({ name }: Entry): string => `${name.replace('/', '-')}.md`;

/**
 * Returns `page` with the table of all entries.
 * @throws Error if an entry has no comment at its top, or the page no place for the table
 */
export function withEntries(page: string, root: string): string {
  const rows = entriesOf(root).map((entry) => {
    const [, comment] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(join(root, entry.source), 'utf8')) ?? [];
    if (comment === undefined) throw new Error(`${entry.source}: expected a comment at the top, for ${PAGE}.`);
    const text = comment.replaceAll(/\n \*/g, ' ').replaceAll(/\s+/g, ' ').trim();
    return `| [${entry.name}](api-report/${reportName(entry)}) | ${text} |`;
  });
  const [before, , after] = page.split(
    /(?<=<!-- written by npm run api-report -->\n)([\s\S]*?)(?=<!-- end of what is)/,
  );
  if (before === undefined || after === undefined) throw new Error(`${PAGE}: expected the marks of the table.`);
  return `${before}\n| module | for |\n| --- | --- |\n${rows.join('\n')}\n\n${after}`;
}
