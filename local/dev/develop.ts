/** Keeps the stack running while the app is edited, and processes a file again on request. */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReloadableStack, startReloadableStack } from 'functions-local';
import { formatTable } from '../../cli/text/format.ts';
import { explainStart, portOf, type StartOptions } from '../arguments.ts';
import type { DataFolder } from '../data-folder.ts';
import { INTERRUPTED } from '../interruption.ts';
import { describeAccess } from '../next-steps.ts';
import { hostOf, stackOptions } from '../stack-options.ts';
import { WATCHED } from './app-sources.ts';
import { createTypeCheck } from './check-types.ts';
import { KEYS, listenForKeys } from './keys.ts';
import { writePreload } from './preload.ts';
import { print } from './print.ts';
import { createReloader } from './reloader.ts';
import { createRun } from './run-file.ts';
import { createUpdate } from './update-app.ts';
import { watchFiles } from './watch-files.ts';

/** What is developed. */
export interface Development {
  /** The folder of the app. */
  root: string;
  options: StartOptions;
  folder: DataFolder;
  interrupted: Promise<unknown>;
  /** The file to process, and its workload. */
  input: { file: string; workload: string } | undefined;
  /** The project whose types are checked after each edit. */
  project: string;
}

const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
const NO_FILE = 'There is no file to run: give one at the start.';

/** Starts the stack without an app: its workloads are not loaded in this process, because they may have errors. */
const bringUp = ({ root, folder, options }: Development): Promise<ReloadableStack> =>
  startReloadableStack({
    ...stackOptions(
      folder.stack,
      { workloads: [], containers: [], subscriptions: options.subscriptions, host: hostOf(root) },
      // The user waits for the first chunk after each reload.
      { SLUICE_EARLY_THREADS: 'true' },
      options.instances,
    ),
    ...portOf(options),
    preload: writePreload(folder.app),
    onProgress: print,
  }).catch((error: unknown) => {
    throw explainStart(error);
  });

/** Runs until the user ends it or a part of the stack stops. */
async function runOn(stack: ReloadableStack, development: Development): Promise<number> {
  const { root, options, folder, interrupted, input, project } = development;
  const ended = Promise.withResolvers<number>();
  const run = input ? createRun(stack, input.file, { ...options, ...input }) : async () => print(NO_FILE);
  const update = createUpdate(stack, root, folder.app);
  const types = createTypeCheck(root, project, join(folder.path, 'dev.tsbuildinfo'), (lines) => print(...lines));
  let isAuto = false;
  const reloader = createReloader({
    after,
    apply: async () => {
      const came = await update().catch(ended.reject);
      // Not awaited: an edit in the meantime is applied while the batch runs. The type check comes last, because it
      // blocks nothing.
      if (came === 'reloaded' && isAuto) void run().finally(types.start);
      else if (came !== 'nothing to do') types.start();
    },
  });
  const stopWatching = watchFiles(root, WATCHED, reloader.edited);
  const act = {
    run: async () => {
      // Includes edits that the file system has not reported yet.
      reloader.edited();
      await reloader.settled();
      await run();
    },
    auto: async () => {
      isAuto = !isAuto;
      print(isAuto ? 'Runs the file after each edit.' : 'Runs the file only on request.');
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
    void stack.failed.then((message) => ended.reject(new Error(`A part of the stack has stopped: ${message}`)));
    return await ended.promise;
  } finally {
    stopWatching();
    stopListening();
    types.stop();
    await reloader.close();
  }
}

/** Starts the stack, and develops on it until the user ends it. Returns the exit code. */
export async function develop(development: Development): Promise<number> {
  if (development.input) await access(development.input.file);
  const stack = await bringUp(development);
  try {
    return await runOn(stack, development);
  } finally {
    print('Stopping');
    await stack.stop();
  }
}
