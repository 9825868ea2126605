import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from '../../mutants/list.ts';
import { mutate } from '../../mutants/mutant.ts';

const ROOT = join(import.meta.dirname, '../../..');

describe('the list of mutants', () => {
  it.each(MUTANTS)('still applies to $file: $name', (mutant) => {
    expect(mutate(ROOT, mutant)).toContain(mutant.replace);
    expect(mutant.tests.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
    expect(mutant.tests.length).toBeGreaterThan(0);
    // The copy in which they run is not built, so it cannot start an app.
    const withApp = mutant.tests.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('helpers/stack.ts'));
    expect(withApp).toEqual([]);
  });

  it('has no name twice', () => {
    const names = MUTANTS.map(({ name }) => name);
    expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([]);
  });

  it('refuses a mutant whose text does not occur, or occurs more than once', () => {
    const of = (find: string) => ({ name: 'x', file: 'package.json', find, replace: '', tests: [] });
    expect(() => mutate(ROOT, of('no such text'))).toThrow(/once in package.json, found it 0 times/);
    expect(() => mutate(ROOT, of('"'))).toThrow(/once in package.json/);
  });
});
