import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');

/** The differences of a copy from the app. */
export interface AppCopyOptions {
  /** Name of its folder below `.sluice/`, inside the repository, so that packages are found. */
  name: string;
  /** tsconfig of the build, relative to the repository's root. */
  project: string;
  /** Source file that exports `registry`, relative to the repository's root; it is part of `project`. */
  registry: string;
  /**
   * Activities that the host runs at the same time, so that runs which share a host do not wait for each other;
   * defaults to the app's own.
   */
  activities?: number;
  /** Seconds, below 60, after which the work of a silent instance runs again; defaults to the app's own. */
  visibilitySeconds?: number;
  /** Time limit of an invocation, below 60 seconds; defaults to the app's own. */
  functionSeconds?: number;
  /** Rules to remove or change. */
  mutations?: readonly Mutation[];
}

/** A text in the build of `shared/`, in any file, and its replacement. */
export interface Mutation {
  from: string;
  to: string;
}

/**
 * Builds the app with other workloads into a separate folder, which no other build overwrites while a test uses it. All
 * but the registry (and mutations) is the unchanged app. Returns the app folder.
 */
export async function buildAppCopy(options: AppCopyOptions): Promise<string> {
  const { name, project, registry, activities, visibilitySeconds, functionSeconds, mutations = [] } = options;
  const folder = join(ROOT, '.sluice', name);
  const dist = join(folder, 'dist');
  // A function that was deleted from the sources would still be loaded.
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  await compile(project, dist);
  for (const mutation of mutations) await mutate(dist, mutation);
  const built = `../${registry.replace(/\.ts$/, '.js')}`;
  await writeFile(join(dist, 'workloads', 'index.js'), `export { registry } from '${built}';\n`);
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const host = JSON.parse(await readFile(join(ROOT, 'host.json'), 'utf8'));
  const { durableTask } = host.extensions;
  if (activities !== undefined) durableTask.maxConcurrentActivityFunctions = activities;
  if (functionSeconds !== undefined) host.functionTimeout = timeSpanOf(functionSeconds);
  if (visibilitySeconds !== undefined) {
    const time = timeSpanOf(visibilitySeconds);
    const timeouts = { workItemQueueVisibilityTimeout: time, controlQueueVisibilityTimeout: time };
    Object.assign(durableTask.storageProvider, timeouts);
  }
  await writeFile(join(folder, 'host.json'), JSON.stringify(host, null, 2));
  return folder;
}

const timeSpanOf = (seconds: number): string => `00:00:${String(seconds).padStart(2, '0')}`;

async function mutate(dist: string, { from, to }: Mutation): Promise<void> {
  const names = (await readdir(join(dist, 'shared'), { recursive: true })).filter((name) => name.endsWith('.js'));
  let times = 0;
  for (const path of names.map((name) => join(dist, 'shared', name))) {
    const parts = (await readFile(path, 'utf8')).split(from);
    times += parts.length - 1;
    if (parts.length > 1) await writeFile(path, parts.join(to));
  }
  if (times !== 1) throw new Error(`Expected ${JSON.stringify(from)} once in shared/, found it ${times} times.`);
}

/**
 * Types are checked elsewhere. Here, a half-written file of another developer must not stop a run. Nobody reads the
 * declarations, for which the compiler infers most types: without them, it takes a third of the CPU time.
 */
async function compile(project: string, outDir: string): Promise<void> {
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const options = ['--outDir', outDir, '--noCheck', '--declaration', 'false'];
  await promisify(execFile)(process.execPath, [tsc, '-p', join(ROOT, project), ...options], { cwd: ROOT });
}
