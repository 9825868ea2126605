import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findEntryPoints } from '../../../../src/host/app/entry-points.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'app-'));
  mkdirSync(join(folder, 'src', 'deep'), { recursive: true });
  for (const file of ['a.js', 'b.mjs', 'c.cjs', 'deep/d.js', 'e.txt']) writeFileSync(join(folder, 'src', file), '');
});
afterEach(() => rmSync(folder, { recursive: true }));

function find(manifest: object): [string, string][] {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  return findEntryPoints(folder).map(({ path, format }) => [relative(folder, path), format]);
}

describe('findEntryPoints', () => {
  it.each([
    ['src/a.js', ['src/a.js']],
    ['./src/*.js', ['src/a.js']],
    ['src/{a,b}.{js,mjs}', ['src/a.js', 'src/b.mjs']],
    ['src/**/*.js', ['src/a.js', 'src/deep/d.js']],
  ])('main %s finds %j', (main, expected) => expect(find({ main }).map(([path]) => path)).toEqual(expected));

  it('uses the format of the extension, then of the package', () => {
    const main = 'src/*.{js,mjs,cjs}';
    expect(find({ main }).map(([, format]) => format)).toEqual(['commonjs', 'module', 'commonjs']);
    expect(find({ main, type: 'module' }).map(([, format]) => format)).toEqual(['module', 'module', 'commonjs']);
  });

  it('finds nothing without main, and refuses a main that matches nothing', () => {
    expect(find({})).toEqual([]);
    expect(() => find({ main: 'dist/*.js' })).toThrow(/unable to load entry point "dist\/\*\.js"/);
  });
});
