// Imported as a namespace: Node 20 has no globSync, and a missing named import would fail before check-node.ts can report the
// old version.
import fs, { existsSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { HostStartError } from '../errors.ts';
import { parseJsonObject } from '../settings/parse-json.ts';

/** A file that registers functions of an app, and its module format. */
export interface EntryPoint {
  path: string;
  format: 'module' | 'commonjs';
}

interface Manifest {
  main?: string;
  isModule: boolean;
}

/**
 * Finds the files that match package.json's `main` (a glob), sorted. Without `main` there are none. Throws if no file
 * matches.
 */
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

/** Returns the module format by extension, otherwise by package.json's `type`. */
function toFormat(file: string, isModule: boolean): EntryPoint['format'] {
  const extension = extname(file);
  if (extension === '.mjs' || extension === '.mts') return 'module';
  if (extension === '.cjs' || extension === '.cts') return 'commonjs';
  return isModule ? 'module' : 'commonjs';
}
