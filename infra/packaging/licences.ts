import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { NativePackage } from './native.ts';

/** Returns the licence texts of all packages in a bundle, and of those shipped `along` with it, sorted by name. */
export async function licences(root: string, metafile: Metafile, along: readonly NativePackage[]): Promise<string> {
  const packages = new Map(along.map(({ name, folder }) => [`node_modules/${name}`, folder]));
  for (const input of Object.keys(metafile.inputs)) {
    const path = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[0].slice(0, -1);
    if (path !== undefined && !packages.has(path)) packages.set(path, join(root, path));
  }
  const paths = [...packages.keys()].sort();
  const texts = await Promise.all(paths.map((path) => licenceOf(packages.get(path) as string)));
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenceOf(dir: string): Promise<string> {
  const about = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8')) as Record<string, unknown>;
  const file = (await readdir(dir)).sort().find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? `Licence: ${String(about.license)}` : await readFile(join(dir, file), 'utf8');
  return `${String(about.name)} ${String(about.version)}\n\n${text.trim()}\n`;
}
