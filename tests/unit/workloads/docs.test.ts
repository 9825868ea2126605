import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { registry } from '../../../workloads/index.ts';
import { tableBelow } from '../docs/docs-table.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RECIPES_TEST = 'tests/integration/workloads/recipes.test.ts';
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Lines without indentation and blank lines; a recipe imports from one folder further up than a workload. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim().replace("'../../shared/", "'../shared/"))
    .filter((line) => line !== '');

/** The code blocks of a document that begin with a comment containing `file`, without that comment. */
const quotesOf = (document: string, file: string): string[][] =>
  [...read(document).matchAll(/```ts\n\/\/ (\S+)\n(.*?)```/gs)]
    .filter(([, named]) => named === file)
    .map(([, , text = '']) => linesOf(text));

/** The first line of a quotation that does not follow the previous one in the source. */
function firstForeignLine(quote: readonly string[], source: readonly string[]): string | undefined {
  let next = 0;
  return quote.find((line) => {
    const at = source.indexOf(line, next);
    next = at + 1;
    return at < 0;
  });
}

describe.each([
  ['README.md', 'workloads/orders.ts', 'tests/recipes/orders.ts', 1],
  ['docs/workloads.md', 'workloads/orders.ts', 'tests/recipes/orders.ts', 3],
  ['docs/recipes.md', 'workloads/credits.ts', 'tests/recipes/credits.ts', 1],
  ['docs/recipes.md', 'workloads/notices.ts', 'tests/recipes/notices.ts', 1],
  ['docs/recipes.md', 'workloads/mail.ts', 'tests/recipes/mail.ts', 1],
  ['docs/workloads.md', RECIPES_TEST, RECIPES_TEST, 1],
  ['docs/recipes.md', RECIPES_TEST, RECIPES_TEST, 2],
] as const)('%s', (document, named, file, count) => {
  it(`quotes ${file} exactly`, () => {
    const quotes = quotesOf(document, named);
    expect(quotes).toHaveLength(count);
    expect(quotes.map((quote) => firstForeignLine(quote, linesOf(read(file))))).toEqual(quotes.map(() => undefined));
  });
});

it('finds a line that was changed, or moved before another one', () => {
  const source = ['a', 'b', 'c'];
  expect(firstForeignLine(['a', 'c'], source)).toBeUndefined();
  expect(firstForeignLine(['a', 'x', 'c'], source)).toBe('x');
  expect(firstForeignLine(['c', 'b'], source)).toBe('b');
});

/** Contains the options that no example of the app has. */
const limited = defineWorkload({
  ...{ name: 'limited', version: 1, item: z.unknown(), map: () => 1 },
  ...{ rateLimit: { calls: 1, perSeconds: 1 }, maxConcurrency: 1 },
});

it('docs/workloads.md has a row for each option', () => {
  const rows = tableBelow('docs/workloads.md', 'Options').map(([name = '']) => name.replace(' or mapChunk', ''));
  const options = new Set([...registry.workloads, limited].flatMap((workload) => Object.keys(workload)));
  expect(rows.toSorted()).toEqual([...options].toSorted());
});
