import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../infra/bicep.ts';
import { hasTitle, tableBelow } from './docs-table.ts';
import { FEATURE_TESTS } from './feature-tests.ts';

const FEATURES = 'docs/features.md';
const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

const SECTIONS = [
  ['A: queue-based messaging that scales and costs little', numbered('A', 18)],
  ['B: notify the workers, and drain until empty', numbered('B', 5)],
  ['C: what queues promise', numbered('C', 11)],
  ['The card', ['Packages', 'Ingest', 'Wake', 'Drain', 'Deploy', 'Run locally']],
] as const;

const linksIn = (cell: string): string[] => [...cell.matchAll(/\]\(([^)#]+)/g)].map(([, path = '']) => path);
const fileOf = (path: string): string => join(dirname(FEATURES), path);

describe.each(SECTIONS)('the rows of the sources, %s', (heading, expected) => {
  const rows = tableBelow(FEATURES, heading);

  it('are complete', () => {
    expect(rows.map(([row]) => row)).toEqual(expected);
  });

  it('have a description, and refer to files that exist', () => {
    const wrong = rows.filter(([, meaning = '', where = '']) => {
      const files = linksIn(where);
      return meaning.length < 20 || files.length === 0 || !files.every((path) => existsSync(join(ROOT, fileOf(path))));
    });
    expect(wrong.map(([row]) => row)).toEqual([]);
  });

  it('link the files of their tests, whose titles exist', () => {
    const wrong = rows.filter(([row = '', , , tests = '']) => {
      const quoted = (FEATURE_TESTS[row] ?? []).map((test) => test.split(/: (.+)/) as [string, string]);
      const files = new Set(quoted.map(([file]) => file));
      const isWhole = files.size > 0 && linksIn(tests).every((path) => files.has(fileOf(path)));
      return (
        !isWhole || linksIn(tests).length !== files.size || !quoted.every(([file, title]) => hasTitle(file, title))
      );
    });
    expect(wrong.map(([row]) => row)).toEqual([]);
  });
});
