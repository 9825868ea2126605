import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILD_FILE, readFolder } from './zip.ts';

/** Stands for the build in the scripts until the content of the package is known. */
export const BUILD = '@sluice-build@';

/**
 * Writes a hash of all files of a package into its scripts, which report it in GET health, and into a file of its own. A
 * deployment compares both: to publish the same content again would only end what runs.
 */
export async function stampBuild(folder: string): Promise<void> {
  const files = await readFolder(folder);
  const hash = createHash('sha256');
  for (const [name, bytes] of Object.entries(files)) hash.update(`${name} ${bytes.length} `).update(bytes);
  const build = hash.digest('hex').slice(0, 40);
  for (const [name, bytes] of Object.entries(files).filter(([name]) => /^dist\/functions\/.*\.js$/.test(name))) {
    const text = Buffer.from(bytes).toString();
    if (text.includes(BUILD)) await writeFile(join(folder, name), text.replaceAll(BUILD, build));
  }
  await writeFile(join(folder, BUILD_FILE), `sluice-build:${build}\n`);
}
