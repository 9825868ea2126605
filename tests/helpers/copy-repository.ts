import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Copies all files that git knows or would add to a new temporary folder, so that the checkout is never changed, and returns
 * the folder. The packages of node_modules are those of the checkout. The caller removes the folder.
 */
export function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-copy-'));
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    ...{ cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  });
  for (const file of list.split('\0'))
    if (file !== '' && existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}
