import { execFile, execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../../..');
const run = promisify(execFile);
const COMMIT = /^[0-9a-f]{40}$/;

/** The app of an earlier commit. */
export interface OldCode {
  appFolder: string;
  remove(): Promise<void>;
}

/**
 * Builds the app with the workloads of the upgrade tests from an earlier commit, in a temporary folder. Packages are
 * installed there if the lock file differs from the present one. Otherwise, `node_modules` is a link to that of this
 * checkout, in which the packages of `packages/` are the present ones: `functions-local`, which is only the local host,
 * and `sluice-convert`, which the app does not import.
 * @throws Error if git does not have the commit: a test of an upgrade is never skipped
 */
export async function buildOldCode(commit: string): Promise<OldCode> {
  requireCommit(commit);
  const folder = await mkdtemp(join(tmpdir(), 'sluice-old-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'archive.tar');
    await run('git', ['archive', '--output', archive, commit], { cwd: ROOT });
    await run('tar', ['-xf', archive, '-C', folder]);
    await rm(archive);
    if (await hasSamePackages(folder)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
    return { appFolder: await buildIn(folder), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Throws an Error that says what to do if the history of this clone does not have the commit. */
export function requireCommit(commit: string): void {
  if (!COMMIT.test(commit)) throw new Error(`Expected the 40 characters of a commit, got ${JSON.stringify(commit)}.`);
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT, stdio: 'ignore' });
  } catch {
    throw new Error(
      `This clone does not have commit ${commit}, whose code the upgrade is tested with. ` +
        'It may be a shallow clone: run `git fetch --unshallow`, or clone with the whole history.',
    );
  }
}

async function hasSamePackages(folder: string): Promise<boolean> {
  const lock = (of: string): Promise<string> => readFile(join(of, 'package-lock.json'), 'utf8');
  return (await lock(folder)) === (await lock(ROOT));
}

/** Calls the function `buildUpgradeApp` of that commit, and returns the folder of the app. */
async function buildIn(folder: string): Promise<string> {
  const script = [
    "const { buildUpgradeApp } = await import('./tests/upgrade/build-app.ts');",
    "console.log(await buildUpgradeApp('upgrade-old'));",
  ].join('\n');
  const args = ['--conditions=source', '--input-type=module', '--eval', script];
  const { stdout } = await run(process.execPath, args, { cwd: folder });
  return stdout.trim();
}
