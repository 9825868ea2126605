/** `npm run package [-- --backend TYPE]`: creates the deployable zip in out/, and prints its size and import time. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { entryOf, IMPORT_ENV, importMs } from './packaging/import-time.ts';
import { describePackage, packageApp } from './packaging/package-app.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { backend: { type: 'string' } } });
const backend = values.backend ?? process.env.SLUICE_DURABLE_BACKEND;
const made = await packageApp(root, join(root, 'out'), { backend });
console.log(describePackage(made, root));

const bundled = await importMs([entryOf(made.folder)], IMPORT_ENV);
console.log(`import time  ${bundled.toFixed(0)} ms bundled${await comparison()}`);

/** Measures the import time of the unbundled build, if there is one. */
async function comparison(): Promise<string> {
  const dir = join(root, 'dist/functions');
  const files = await readdir(dir).catch(() => []);
  const scripts = files.filter((name) => name.endsWith('.js')).sort();
  if (scripts.length === 0) return ' (unbundled: not measured; `npm run build` creates it)';
  const paths = scripts.map((name) => join(dir, name));
  // An old or incomplete build is not an error, because the package does not use it.
  const unbundled = await importMs(paths, IMPORT_ENV).catch(() => undefined);
  return unbundled === undefined ? ' (unbundled: dist/ does not load)' : `, ${unbundled.toFixed(0)} ms unbundled`;
}
