import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBoundaries } from './check.ts';

const ROOT = join(import.meta.dirname, '../../..');
const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file);
const files: Record<string, string> = Object.fromEntries(
  readdirSync(ROOT, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules' && name !== 'dist')
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(join(ROOT, entry.name), { recursive: true, encoding: 'utf8' }).map((name) =>
            join(entry.name, name),
          )
        : [entry.name],
    )
    .filter(isSource)
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
);

test('every source file keeps to the table', () => {
  expect(checkBoundaries(files)).toEqual([]);
});
