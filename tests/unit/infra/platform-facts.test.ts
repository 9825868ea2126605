/** Facts about the platform are declared once; the documents follow. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../infra/azure-checks/checks.ts';
import { FACTS } from '../../../infra/azure-checks/facts.ts';
import { checkList } from '../../../infra/azure-checks/list.ts';
import { platformPages } from '../../../tools/platform/pages.ts';
import { ROOT } from './bicep.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

// After an intended change, run `npm run generate`.
it.each(Object.entries(platformPages(read)))('%s has the present facts', (path, text) => {
  expect(read(path)).toBe(text);
});

describe.each(FACTS)('$fact', ({ code, test, sources, check }) => {
  it('names files that exist, and a source', () => {
    expect([...code, test].filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(code).not.toEqual([]);
    expect(sources).not.toEqual([]);
  });

  it('names checks that exist, or a reason', () => {
    const unknown = 'none' in check ? [] : check.filter((id) => !CHECKS.some((each) => each.id === id));
    expect(unknown).toEqual([]);
    expect('none' in check ? check.none : check).not.toHaveLength(0);
  });
});

it('the list of verify-azure has each check and each fact', () => {
  const list = checkList();
  expect(CHECKS.filter(({ about }) => !list.includes(about))).toEqual([]);
  expect(FACTS.filter(({ fact }) => !list.includes(fact))).toEqual([]);
});
