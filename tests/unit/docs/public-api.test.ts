import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { entriesOf, entriesPage, PAGE } from '../../../tools/api-report/entries.ts';
import { ROOT } from '../infra/bicep.ts';

const page = readFileSync(join(ROOT, PAGE), 'utf8');

it('docs/public-api.md is what npm run api-report writes', () => {
  expect(page).toBe(entriesPage(ROOT));
});

it('docs/public-api.md names every entry of package.json', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object };
  const files = Object.keys(exports).filter((path) => path.endsWith('*'));

  expect(files.filter((path) => !page.includes(`\`sluice${path.slice(1)}\``))).toEqual([]);
  expect(entriesOf(ROOT).map(({ name }) => name)).toHaveLength(Object.keys(exports).length - files.length - 1);
});
