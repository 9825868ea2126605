// Node 20 has no globSync, and a missing name would fail before check-node.ts can say what is wrong.
import fs, { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { HostStartError } from '../errors.ts';
import { parseJsonObject } from '../settings/parse-json.ts';

/** The files that register an app's functions, and how to load them. */
export interface EntryPoint {
  path: string;
  format: 'module' | 'commonjs';
}

interface Manifest {
  main?: string;
  isModule: boolean;
}

/** Finds the files that package.json's `main` (a glob) names, sorted. Throws when it matches none; no `main` gives none. */
export function findEntryPoints(appFolder: string): EntryPoint[] {
  const manifest = readManifest(appFolder);
  if (manifest.main === undefined) return [];
  const files = fs.globSync(manifest.main.replace(/^\.\//, ''), { cwd: appFolder });
  if (files.length === 0) {
    throw new HostStartError(
      `Worker was unable to load entry point "${manifest.main}": Found zero files matching the supplied pattern. ` +
        'Build the app first, or correct "main" of package.json.',
    );
  }
  return files.sort().map((file) => ({ path: join(appFolder, file), format: toFormat(file, manifest.isModule) }));
}

function readManifest(appFolder: string): Manifest {
  const file = join(appFolder, 'package.json');
  if (!existsSync(file)) throw new HostStartError('package.json: file not found in the app folder.');
  const json = parseJsonObject(readFileSync(file, 'utf8'), 'package.json');
  const main = json.main;
  return { isModule: json.type === 'module', ...(typeof main === 'string' && main !== '' ? { main } : {}) };
}

/** The module format by extension, else by package.json's `type`. */
function toFormat(file: string, isModule: boolean): EntryPoint['format'] {
  const extension = extname(file);
  if (extension === '.mjs' || extension === '.mts') return 'module';
  if (extension === '.cjs' || extension === '.cts') return 'commonjs';
  return isModule ? 'module' : 'commonjs';
}
