import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The licence texts of every package that went into a bundle or goes `along` with it, in the order of their names. */
export async function licences(root: string, metafile: Metafile, along: readonly string[]): Promise<string> {
  const packages = new Set(along.map((name) => `node_modules/${name}`));
  for (const input of Object.keys(metafile.inputs)) {
    const match = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) packages.add(match[0].slice(0, -1));
  }
  const texts = await Promise.all([...packages].sort().map((path) => licenceOf(join(root, path))));
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

async function licenceOf(dir: string): Promise<string> {
  const about = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8')) as Record<string, unknown>;
  const file = (await readdir(dir)).sort().find((name) => /^licen[cs]e/i.test(name));
  const text = file === undefined ? `Licence: ${String(about.license)}` : await readFile(join(dir, file), 'utf8');
  return `${String(about.name)} ${String(about.version)}\n\n${text.trim()}\n`;
}
