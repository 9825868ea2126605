/** Creates the tables of facts about the platform: the part above the marker is kept, the rest is written from the facts. */
import { FACTS, type PlatformFact } from '../../infra/azure-checks/facts.ts';

const MARKER = '<!-- From here on, `npm run generate` writes the facts of infra/azure-checks/facts.ts. -->';

/** The pages, relative to the root of the repository, and what follows their marker. */
const PAGES: Readonly<Record<string, () => string[]>> = {
  'docs/azure-status.md': () => [
    '| fact | read in | relied on in | shown by | checked on Azure by |',
    '| --- | --- | --- | --- | --- |',
    ...FACTS.map(({ fact, sources, code, test, check }) =>
      row([fact, sources.map(link).join(' '), code.map(file).join(' '), file(test), checks(check)]),
    ),
  ],
  'packages/functions-local/README.md': () => [
    '| what it does as the platform does | source |',
    '| --- | --- |',
    ...FACTS.flatMap(({ local, sources }) => (local === undefined ? [] : [row([local, sources.map(link).join(' ')])])),
  ],
};

/** The pages with the present facts, by path. Throws an Error if a current page has no marker. */
export function platformPages(read: (path: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(PAGES).map(([path, lines]) => {
      const current = read(path);
      const end = current.indexOf(MARKER);
      if (end < 0) throw new Error(`${path} has no line "${MARKER}".`);
      return [path, `${current.slice(0, end)}${MARKER}\n\n${lines().join('\n')}\n`];
    }),
  );
}

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const file = (path: string): string => `[${path.split('/').at(-1)}](../${path})`;
const checks = (check: PlatformFact['check']): string =>
  'none' in check ? `none: ${check.none}` : check.map((id) => `\`${id}\``).join(', ');

/** The link of a source: an address by its last part, a repository by its number. */
function link(source: string): string {
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(source) ?? [];
  if (repository !== undefined)
    return `[${repository.split('/')[1]}#${number}](https://github.com/${repository}/issues/${number})`;
  return `[${new URL(source).pathname.split('/').findLast((part) => part !== '')}](${source})`;
}
