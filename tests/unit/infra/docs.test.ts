import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './bicep.ts';
import { tableBelow } from './docs-table.ts';

const DOCS = ['deploy', 'security', 'operations', 'local', 'workloads', 'analysis', 'observability'].map(
  (name) => `docs/${name}.md`,
);
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The anchor that a heading gets. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
const anchorsOf = (file: string): string[] => (read(file).match(/(?<=^#+ ).+$/gm) ?? []).map(anchor);

describe.each(DOCS)('%s', (file) => {
  it('links to places that exist', () => {
    const links = [...read(file).matchAll(/\]\((?!https:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, path = '', place]) => {
      const target = path === '' ? file : join(dirname(file), path);
      return !existsSync(join(ROOT, target)) || (place !== undefined && !anchorsOf(target).includes(place));
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it('names files and folders that exist', () => {
    const paths =
      read(file).match(/(?<=[`\s])(?:infra|tests|packages|demo|shared|workloads|\.github)\/[\w./-]*\w/g) ?? [];
    expect([...new Set(paths)].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('names npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read(file).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the variables of a deployment', () => {
  it('are those of infra/main.bicepparam, with the same defaults', () => {
    const variables = [...read('infra/main.bicepparam').matchAll(/readEnvironmentVariable\('(\w+)', '([^']*)'\)/g)];
    const documented = tableBelow('docs/deploy.md', 'What you can choose').map(([name, value]) => [
      name,
      value === 'none' ? '' : value,
    ]);
    expect(documented).toEqual(variables.map(([, name, value]) => [name, value]));
  });
});
