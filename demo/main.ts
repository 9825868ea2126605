/** `npm start`: makes a copy of the build and runs it, so that a later build beside it changes nothing in it. */

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readFiles, writeFiles } from './app-files.ts';
import { readArguments, USAGE } from './arguments.ts';
import { runCommand } from './command.ts';
import { ROOT } from './stack-options.ts';

/** What the built app and this command consist of. */
const BUILT = ['dist', 'host.json', 'local.settings.json', 'package.json'];

/** Copies the build, with the local stack's own package, to a folder from which other packages are still found. */
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
