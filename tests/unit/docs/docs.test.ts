import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOMS } from '../boundaries/rooms.ts';
import { ROOT } from '../infra/bicep.ts';
import { hasTitle, tableBelow } from './docs-table.ts';
import { FAILURE_TESTS } from './failure-tests.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const markdownIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => `${folder}/${name}`);

/** The folders of `shared/`. Each is a room and has a README. */
const SHARED_ROOMS = readdirSync(join(ROOT, 'shared'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const readmeOf = (room: string): string => `shared/${room}/README.md`;

const PACKAGE = 'packages/functions-local';
const BICEP = 'packages/bicep-check';
/** Every page except the changelog, which refers to files of earlier versions. */
const DOCS = [
  ...readdirSync(ROOT).filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md'),
  ...['docs', 'shared', 'cli', 'bench', 'tests', '.github', 'packages/convert', PACKAGE, BICEP].flatMap(markdownIn),
];
/** Files that a reader of docs/first-hour.md creates. */
const CREATED = ['workloads/orders.ts', 'tests/unit/workloads/orders.test.ts'];
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

/** The anchor of a heading. */
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

  // A comment that begins with a path refers to the file of an example; a part in capitals is a placeholder.
  it('refers to files and folders that exist', () => {
    const paths =
      read(file).match(/(?<=[`\s])(?<!\/\/ )(?:infra|tests|packages|demo|shared|workloads|\.github)\/[\w./-]*\w/g) ??
      [];
    // The package's own documents are relative to its folder, because it is published without the rest.
    const from = file.startsWith('packages/') ? ['', PACKAGE] : [''];
    const isThere = (path: string): boolean => from.some((folder) => existsSync(join(ROOT, folder, path)));
    const isExample = (path: string): boolean => /\/[A-Z]+$/.test(path) || CREATED.includes(path);
    expect([...new Set(paths)].filter((path) => !isExample(path) && !isThere(path))).toEqual([]);
  });

  it('refers to npm scripts that exist', () => {
    const named = [...read(file).matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

const isDecision = (file: string): boolean => /^docs\/decisions\/\d/.test(file);
describe.each(markdownIn('docs').filter((file) => !isDecision(file)))('%s', (file) => {
  it('begins with its readers and its subject, in at most two sentences', () => {
    const [title = '', opening = ''] = read(file).split('\n\n', 2);
    expect(title).toMatch(/^# .+$/);
    const text = opening.replaceAll(/\]\([^)]*\)/g, ']');
    expect(text).toMatch(/^For [^:.]+: [^.]+\.(?:\s[^.]+\.)?$/);
  });
});

it.each(Object.keys(scripts).filter((name) => name !== 'prepack'))('the npm script %s is documented', (name) => {
  const mention = new RegExp(`npm (?:run )?(?:--silent )?${name}(?![\\w:-])|\`${name}\``);
  expect(DOCS.filter((file) => mention.test(read(file)))).not.toEqual([]);
});

describe.each(SHARED_ROOMS)('the README of shared/%s', (room) => {
  it('exists, and has at most 60 lines', () => {
    expect(existsSync(join(ROOT, readmeOf(room)))).toBe(true);
    expect(read(readmeOf(room)).split('\n').length).toBeLessThanOrEqual(60);
  });

  it('lists the rooms that it may import', () => {
    const imports = ROOMS.find(({ path }) => path === `shared/${room}/`)?.imports ?? [];
    const allowed = imports.flatMap((path) => /^shared\/([\w-]+)\/$/.exec(path)?.[1] ?? []);
    const [, sentence = ''] = /^Rooms: ([^.]*)\./m.exec(read(readmeOf(room))) ?? [];
    const named = [...sentence.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual(allowed.toSorted());
  });
});

it('the code tour has at most 15 stops, from the upload on', () => {
  const [, tour = ''] = read('docs/architecture.md').split('\n## Code tour: follow one batch\n');
  const files = [...tour.matchAll(/^\d+\. \[([^\]]+)\]\(\.\.\/([^)]+)\)/gm)].map(([, text, link]) => ({ text, link }));
  expect(files[0]?.link).toBe('functions/http.ts');
  expect(files.length).toBeLessThanOrEqual(15);
  expect(files.filter(({ text, link = '' }) => text !== link || !existsSync(join(ROOT, link)))).toEqual([]);
});

it('docs/architecture.md names functions that are in the files that it names', () => {
  const page = read('docs/architecture.md');
  const pointers = [
    ...[...page.matchAll(/`(\w+)` in \[[^\]]+\]\(\.\.\/([^)#]+)\)/g)].map(([, name, file]) => ({ name, file })),
    ...[...page.matchAll(/\[[^\]]+\]\(\.\.\/([^)#]+)\): `(\w+)`/g)].map(([, file, name]) => ({ name, file })),
  ];
  expect(pointers.length).toBeGreaterThan(20);
  const has = ({ name = '', file = '' }): boolean => new RegExp(`\\b${name}\\b`).test(read(file));
  expect(pointers.filter((pointer) => !has(pointer))).toEqual([]);
});

describe('docs/failures.md', () => {
  const sections = read('docs/failures.md').match(/(?<=^## ).+$/gm) ?? [];
  const failures = sections.flatMap((heading) => tableBelow('docs/failures.md', heading)).map(([failure]) => failure);

  it('has tests for each row, or states that there are none', () => {
    expect(failures.length).toBeGreaterThan(60);
    expect(Object.keys(FAILURE_TESTS).toSorted()).toEqual(failures.toSorted());
    expect(Object.values(FAILURE_TESTS)).not.toContainEqual([]);
  });

  it('has tests whose files and titles exist', () => {
    const quoted = Object.values(FAILURE_TESTS)
      .flat()
      .filter((test) => !test.startsWith('not tested: '))
      .map((test) => /^(\S+\.test\.ts): (.+)$/.exec(test) ?? [test]);
    expect(quoted.filter(([, file = '', title = '']) => !hasTitle(file, title)).map(([test]) => test)).toEqual([]);
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
