import { glob, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../process/errors.ts';
import { isAddress } from './address.ts';

/**
 * Returns the files of the arguments, each once. A pattern that the shell has not expanded, and that is not the name of a file,
 * is expanded to its files, sorted by name. Throws UsageError for a pattern that matches no file.
 */
export async function findFiles(args: readonly string[], folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const arg of args) {
    if (!isAddress(arg) && /[*?[{]/.test(arg) && !(await exists(resolve(folder, arg))))
      found.push(...(await matching(arg, folder)));
    else found.push(arg);
  }
  const files = [...new Map(found.map((file) => [file === '-' ? file : resolve(folder, file), file])).values()];
  if (files.length > 1 && files.includes('-'))
    throw new UsageError('FILE: - is standard input, and cannot be combined with other files');
  return files;
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

async function matching(pattern: string, folder: string): Promise<string[]> {
  const files: string[] = [];
  for await (const entry of glob(pattern, { cwd: folder, withFileTypes: true }))
    if (!entry.isDirectory()) files.push(join(entry.parentPath, entry.name));
  if (files.length === 0) throw new UsageError(`FILE: no file matches ${pattern}`);
  const prefix = `${resolve(folder)}/`;
  return files.sort().map((file) => (file.startsWith(prefix) ? file.slice(prefix.length) : file));
}
