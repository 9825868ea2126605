/**
 * `npm run changes`: makes the usual changes in a copy of the repository, generates what follows from them, and runs
 * `npm run check` and their tests. Prints how many places each edits.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { copyRepository } from '../helpers/copy-repository.ts';
import { apply, CHANGES, editedFiles, filesOf } from './changes.ts';

const copy = copyRepository();
const run = (command: string, ...options: string[]): void =>
  void execFileSync(command, options, { cwd: copy, stdio: 'inherit' });

try {
  // The checks read the list of files from git.
  run('git', 'init', '--quiet');
  for (const change of CHANGES) {
    apply(change, { folder: copy });
    console.log(`${change.name}: ${editedFiles(change).length} files, ${editedFiles(change).join(', ')}`);
  }
  run('npm', 'run', '--silent', 'generate');
  run('git', 'add', '--all');
  run('npm', 'run', '--silent', 'check');
  const tests = CHANGES.flatMap(filesOf).filter((file) => file.endsWith('.test.ts'));
  run('npx', 'vitest', 'run', '--project', 'unit', ...tests);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
