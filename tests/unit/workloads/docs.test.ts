import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { registry } from '../../../workloads/index.ts';
import { tableBelow } from '../infra/docs-table.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const code = [...read('docs/workloads.md').matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
const sources = ['payouts/sale', 'payouts/distribute', 'payouts/balance', 'payouts'].map((name) =>
  read(`workloads/${name}.ts`),
);
/** Lines without indentation, comments and blank ones. */
const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('/'));

describe('docs/workloads.md', () => {
  it.each([
    [0, 'workloads/payouts/sale.ts'],
    [1, 'workloads/payouts/distribute.ts'],
    [2, 'workloads/payouts/balance.ts'],
    [3, 'workloads/payouts.ts'],
  ])('shows the code as it is: block %i, %s', (index, file) => {
    const source = new Set(lines(sources[index] ?? ''));
    expect(read('docs/workloads.md')).toContain(file);
    expect(lines(code[index] ?? 'none').filter((line) => !source.has(line))).toEqual([]);
  });

  it('has a row for each option', () => {
    const rows = tableBelow('docs/workloads.md', 'Options').map(([name = '']) => name.replace(' or mapChunk', ''));
    const options = new Set(registry.workloads.flatMap((workload) => Object.keys(workload)));
    expect(rows.toSorted()).toEqual([...options].toSorted());
  });
});
