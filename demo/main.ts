/** `npm start`: copies the build and runs the copy, so that a later build does not change it. */

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readFiles, writeFiles } from './app-files.ts';
import { readArguments, USAGE } from './arguments.ts';
import { runCommand } from './command.ts';
import { ROOT } from './stack-options.ts';

/** The built app, and this command. */
const BUILT = ['dist', 'host.json', 'local.settings.json', 'package.json'];

/** Copies the build and the local stack's package to a folder from which other packages can still be resolved. */
function copyBuild(folder: string): void {
  const local = fileURLToPath(new URL('..', import.meta.resolve('functions-local')));
  writeFiles(folder, readFiles(ROOT, BUILT));
  writeFiles(join(folder, 'node_modules', 'functions-local'), readFiles(local, ['dist', 'package.json']));
}

runCommand({
  usage: USAGE,
  read: readArguments,
  run: async (options, folder, interrupted) => {
    copyBuild(folder.app);
    const file = pathToFileURL(join(folder.app, 'dist/demo/start.js')).href;
    const { start } = (await import(file)) as typeof import('./start.ts');
    return await start(options, folder, interrupted);
  },
});
