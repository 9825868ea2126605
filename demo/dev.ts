/** `npm run dev`: the stack stays up while the app is edited, and a file goes through it again on request. */

import { access } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { makeStorage, ProcessStartError, type ReloadableStack, startReloadableStack } from 'functions-local';
import { formatCount, formatSeconds, formatTable } from '../cli/text/format.ts';
import { clearLine } from '../cli/text/status-line.ts';
import { DEV_USAGE, type DemoOptions, explainStart, portOf, readDevArguments } from './arguments.ts';
import { showBatch } from './batch/show-batch.ts';
import { verdictOf } from './batch/verdict.ts';
import { runCommand } from './command.ts';
import type { DataFolder } from './data-folder.ts';
import { createAppCopies } from './dev/app-copies.ts';
import { readSources, WATCHED } from './dev/app-sources.ts';
import { createTypeCheck } from './dev/check-types.ts';
import { KEYS, listenForKeys } from './dev/keys.ts';
import { writePreload } from './dev/preload.ts';
import { readContainers } from './dev/read-containers.ts';
import { createReloader } from './dev/reloader.ts';
import { describeStartFailure } from './dev/start-failure.ts';
import { watchFiles } from './dev/watch-files.ts';
import { INTERRUPTED } from './interruption.ts';
import { describeAccess } from './next-steps.ts';
import { ROOT, stackOptions } from './stack-options.ts';
import { writeUsage } from './usage/generate.ts';

/** A run may be showing how far it is. */
const print = (...lines: string[]): void =>
  void process.stdout.write(`${clearLine(process.stdout)}${lines.join('\n')}\n`);
const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
const since = (startedAt: number): string => formatSeconds(performance.now() - startedAt);

/** The stack without an app: its workloads are not loaded here, as they may be broken. */
const bringUp = (folder: DataFolder, options: DemoOptions): Promise<ReloadableStack> =>
  startReloadableStack({
    ...stackOptions(
      folder.stack,
      { workloads: [], containers: [], subscriptions: options.subscriptions },
      {},
      options.instances,
    ),
    ...portOf(options),
    preload: writePreload(folder.app),
    onProgress: print,
  }).catch((error: unknown) => {
    throw explainStart(error);
  });

/** The outcome of an update. */
type Update = 'nothing to do' | 'reloaded' | 'failed';

/** Returns what brings the app up to date with the sources. */
function createUpdate(stack: ReloadableStack, folder: DataFolder): () => Promise<Update> {
  const copies = createAppCopies(folder.app);
  return async () => {
    const startedAt = performance.now();
    const files = readSources(ROOT);
    const changed = copies.changed(files);
    if (changed.length === 0) return 'nothing to do';
    const isFirst = stack.instances.length === 0;
    if (!isFirst) print('', `Edited: ${describeNames(changed)}`);
    const copy = copies.next(files);
    const mayNeedContainers = changed.some((name) => files.get(name)?.includes('containers') && isWorkload(name));
    try {
      // Beside the start, which takes longer.
      await Promise.all([stack.reload(copy), mayNeedContainers ? makeContainers(stack, copy) : undefined]);
      copies.started();
      print(`${isFirst ? 'Started' : 'Reloaded'} in ${since(startedAt)}`);
      return 'reloaded';
    } catch (error: unknown) {
      if (!(error instanceof ProcessStartError)) throw error;
      const goesOn = stack.instances.length === 0 ? 'no app is up' : 'the code before this edit goes on';
      print(`The app does not start; ${goesOn} until the error is mended:`);
      print(...describeStartFailure(error.message, copy).map((line) => `  ${line}`));
      return 'failed';
    }
  };
}

const isWorkload = (name: string): boolean => name.startsWith('workloads/');

async function makeContainers({ storage }: ReloadableStack, copy: string): Promise<void> {
  await makeStorage(storage, { containers: await readContainers(copy), tables: [] });
}

const NAMES_SHOWN = 3;
const describeNames = (names: readonly string[]): string =>
  [...names.slice(0, NAMES_SHOWN), ...(names.length > NAMES_SHOWN ? [`${names.length - NAMES_SHOWN} more`] : [])].join(
    ', ',
  );

/** Returns what takes the file through the app as it is now. It never rejects. */
function createRun(stack: ReloadableStack, file: string, { workload, csv }: DemoOptions): () => Promise<void> {
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    if (stack.instances.length === 0) return print('No app is up: mend the error first.');
    const startedAt = performance.now();
    try {
      print('', `Runs ${relative(process.cwd(), file)} through ${workload}`);
      const submission = { file, workload, csv };
      const shown = await showBatch(stack, submission, process.stdout);
      print(...verdictOf(shown, submission).lines, `Done in ${since(startedAt)}`);
    } catch (error: unknown) {
      print(error instanceof Error ? error.message : String(error));
    }
  };
  return () => {
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function inputOf({ file, items, seed }: DemoOptions, folder: DataFolder): Promise<string> {
  if (file !== undefined) {
    await access(file);
    return file;
  }
  const generated = join(folder.path, `usage-${items}-${seed}.ndjson`);
  await writeUsage(generated, { items, seed });
  print(`Generated ${formatCount(items)} transactions (seed ${seed}): ${generated}`);
  return generated;
}

/** Runs until the user ends it, or a part of the stack is gone. */
async function develop(
  stack: ReloadableStack,
  options: DemoOptions,
  folder: DataFolder,
  interrupted: Promise<unknown>,
): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const file = await inputOf(options, folder);
  const run = createRun(stack, file, options);
  const update = createUpdate(stack, folder);
  const project = join(ROOT, 'demo/dev/tsconfig.json');
  const types = createTypeCheck(ROOT, project, join(folder.path, 'dev.tsbuildinfo'), (lines) => print(...lines));
  let isAuto = false;
  const reloader = createReloader({
    after,
    apply: async () => {
      const came = await update().catch(ended.reject);
      // Not awaited: an edit in the meantime is applied while the batch runs. Types come last: they stop nothing.
      if (came === 'reloaded' && isAuto) void run().finally(types.start);
      else if (came !== 'nothing to do') types.start();
    },
  });
  const stopWatching = watchFiles(ROOT, WATCHED, reloader.edited);
  const act = {
    run: async () => {
      // Also edits that the file system has not notified us of yet.
      reloader.edited();
      await reloader.settled();
      await run();
    },
    auto: async () => {
      isAuto = !isAuto;
      print(isAuto ? 'Runs the file after each edit.' : 'Runs the file on request alone.');
    },
    help: async () => print(KEYS),
    quit: async () => ended.resolve(0),
  };
  const stopListening = listenForKeys(process.stdin, (key) => void act[key]().catch(ended.reject));
  try {
    print('', ...formatTable(stack.addresses), '', ...describeAccess(stack, options.subscriptions), '');
    reloader.edited();
    await reloader.settled();
    print('', KEYS);
    if (options.file !== undefined) void run();
    void interrupted.then(() => ended.resolve(INTERRUPTED));
    void stack.failed.then((message) => ended.reject(new Error(`A part of the stack is gone: ${message}`)));
    return await ended.promise;
  } finally {
    stopWatching();
    stopListening();
    types.stop();
    await reloader.close();
  }
}

runCommand({
  usage: DEV_USAGE,
  read: readDevArguments,
  run: async (options, folder, interrupted) => {
    const stack = await bringUp(folder, options);
    try {
      return await develop(stack, options, folder, interrupted);
    } finally {
      print('Stopping');
      await stack.stop();
    }
  },
});
