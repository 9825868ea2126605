/** `npm run dev`: keeps the stack running while the app is edited, and processes a file again on request. */

import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReloadableStack, startReloadableStack } from 'functions-local';
import { formatCount, formatTable } from '../cli/text/format.ts';
import { DEV_USAGE, type DemoOptions, explainStart, portOf, readDevArguments } from './arguments.ts';
import { runCommand } from './command.ts';
import type { DataFolder } from './data-folder.ts';
import { WATCHED } from './dev/app-sources.ts';
import { createTypeCheck } from './dev/check-types.ts';
import { KEYS, listenForKeys } from './dev/keys.ts';
import { writePreload } from './dev/preload.ts';
import { print } from './dev/print.ts';
import { createReloader } from './dev/reloader.ts';
import { createRun } from './dev/run-file.ts';
import { createUpdate } from './dev/update-app.ts';
import { watchFiles } from './dev/watch-files.ts';
import { INTERRUPTED } from './interruption.ts';
import { describeAccess } from './next-steps.ts';
import { ROOT, stackOptions } from './stack-options.ts';
import { writeUsage } from './usage/generate.ts';

const after = (ms: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
/** Starts the stack without an app: its workloads are not loaded in this process, because they may have errors. */
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

/** Runs until the user ends it or a part of the stack stops. */
async function develop(
  stack: ReloadableStack,
  options: DemoOptions,
  folder: DataFolder,
  interrupted: Promise<unknown>,
): Promise<number> {
  const ended = Promise.withResolvers<number>();
  const file = await inputOf(options, folder);
  const run = createRun(stack, file, options);
  const update = createUpdate(stack, folder.app);
  const project = join(ROOT, 'demo/dev/tsconfig.json');
  const types = createTypeCheck(ROOT, project, join(folder.path, 'dev.tsbuildinfo'), (lines) => print(...lines));
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
  const stopWatching = watchFiles(ROOT, WATCHED, reloader.edited);
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
