/** `npm start`: copies the build and runs the copy, so that a later build does not change it. */

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startOptions } from '../cli/app-commands.ts';
import { readFiles, writeFiles } from '../local/app-files.ts';
import { readArguments } from '../local/arguments.ts';
import { runCommand } from '../local/command.ts';
import { ROOT } from './root.ts';

/** The built app, and this command. */
const BUILT = ['dist', 'host.json', 'local.settings.json', 'package.json'];

/** Copies the build and the local stack's package to a folder from which other packages can still be resolved. */
function copyBuild(folder: string): void {
  const local = fileURLToPath(new URL('..', import.meta.resolve('functions-local')));
  writeFiles(folder, readFiles(ROOT, BUILT));
  writeFiles(join(folder, 'node_modules', 'functions-local'), readFiles(local, ['dist', 'package.json']));
}

/** Some seconds of work. */
const GENERATED = { workload: 'billing', items: { billing: '200000', media: '120' } };
const USAGE = `  --items N       number of items to generate without FILE: transactions, default 200000, or images, default 120
  --seed S        seed of the generator; default 1; for billing and media, results are checked
`;

runCommand(
  {
    root: () => ROOT,
    usage: `Usage: npm start [-- [FILE] [options]]\n${startOptions(USAGE)}`,
    read: (args, folder) => readArguments(args, folder, GENERATED),
    run: async (options, folder, interrupted) => {
      copyBuild(folder.app);
      const file = pathToFileURL(join(folder.app, 'dist/demo/start.js')).href;
      const { start } = (await import(file)) as typeof import('./start.ts');
      return await start(options, folder, interrupted);
    },
  },
  process.argv.slice(2),
);
