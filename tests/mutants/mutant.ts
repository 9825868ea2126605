/** A guard that is removed on purpose: at least one of its tests must fail without it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Mutant {
  /** What the code does without the guard. */
  name: string;
  /** Path from the root of the repository. */
  file: string;
  /** Text that occurs exactly once in the file, and what replaces it. */
  find: string;
  replace: string;
  /** The test files that must notice. */
  tests: readonly string[];
}

/**
 * Returns the text of the file with the mutant.
 * @throws Error if its text does not occur exactly once, or is replaced by the same text: then the table is outdated
 */
export function mutate(root: string, { name, file, find, replace }: Mutant): string {
  const text = readFileSync(join(root, file), 'utf8');
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0 || find === replace)
    throw new Error(
      `"${name}": expected its text to occur once in ${file}, found it ${text.split(find).length - 1} times.`,
    );
  return `${before}${replace}${after}`;
}
