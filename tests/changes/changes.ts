/** Changes of the kinds that are made most often, as patches: how many places of the repository each edits. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export interface Change {
  /** As CONTRIBUTING.md calls it. */
  name: string;
  /** Name of the patch in this folder. */
  patch: string;
  /** Maximum number of files to edit, beside tests and the changelog; what is generated is not edited. */
  maxFiles: number;
}

export const CHANGES: readonly Change[] = [
  { name: 'a new route', patch: 'route.patch', maxFiles: 2 },
  { name: 'a new column', patch: 'column.patch', maxFiles: 1 },
  { name: 'a new event', patch: 'event.patch', maxFiles: 3 },
];

/** Returns the path of the patch. */
export const pathOf = ({ patch }: Change): string => join(import.meta.dirname, patch);

/** Returns the files that the patch changes or adds. */
export function filesOf(change: Change): string[] {
  const lines = readFileSync(pathOf(change), 'utf8').matchAll(/^\+\+\+ b\/(.+)$/gm);
  return [...lines].map(([, file = '']) => file);
}

/** Returns the files that somebody edits for this change, beside tests and the changelog. */
export const editedFiles = (change: Change): string[] =>
  filesOf(change).filter((file) => !file.startsWith('tests/') && file !== 'CHANGELOG.md');

/**
 * Applies the patch to the repository in `folder`, or only checks whether it applies.
 * @throws Error if it does not apply: then the code beside it has changed, and the patch is made again
 */
export function apply(change: Change, { folder = ROOT, check = false } = {}): void {
  execFileSync('git', ['apply', ...(check ? ['--check'] : []), pathOf(change)], { cwd: folder, stdio: 'pipe' });
}
