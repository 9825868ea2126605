import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { emptyIfFull } from '../../../../src/stack/process/compile-cache.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'compile-cache-'));
  mkdirSync(join(folder, 'v24'));
  for (const name of ['one', 'two']) writeFileSync(join(folder, 'v24', name), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is kept while it is below its limit', () => {
  emptyIfFull(folder, 3);
  expect(existsSync(join(folder, 'v24', 'one'))).toBe(true);
});

it('is emptied if it contains too many files', () => {
  emptyIfFull(folder, 2);
  expect(existsSync(join(folder, 'v24', 'one'))).toBe(false);
});

it('can be missing', () => {
  expect(() => emptyIfFull(join(folder, 'none'), 2)).not.toThrow();
});
