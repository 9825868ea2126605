import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../demo/stack.ts';

/** Inside the repository, so that packages are found; built anew by each run, and by nobody else. */
const APP = join(ROOT, '.sluice', 'bench-app');

/** Builds the app as it is, but for its registry, which has the bench's probe as well. Returns the app folder. */
export async function buildApp(): Promise<string> {
  const dist = join(APP, 'dist');
  await mkdir(dist, { recursive: true });
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const project = join(ROOT, 'bench/tsconfig.json');
  await promisify(execFile)(process.execPath, [tsc, '-p', project, '--outDir', dist, '--noCheck'], { cwd: ROOT });
  await writeFile(join(dist, 'workloads', 'index.js'), "export { registry } from '../bench/app/registry.js';\n");
  for (const file of ['package.json', 'host.json']) await cp(join(ROOT, file), join(APP, file));
  return APP;
}
