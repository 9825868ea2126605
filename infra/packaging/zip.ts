import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type Zippable, zipSync } from 'fflate';

/**
 * DOS times have no time zone and fflate writes local time, so a time built from local parts gives the same bytes everywhere.
 */
const FIXED_TIME = new Date(1980, 0, 1);
const UNIX = 3;
const REGULAR_FILE_644 = 0o100644 * 2 ** 16;

/** The file with the build of a package. It is not compressed, so that scripts can search the zip for its content. */
export const BUILD_FILE = 'build.txt';

/** Reads all files in `dir`, sorted by their names relative to it. */
export async function readFolder(dir: string): Promise<Record<string, Uint8Array>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
  const files: Record<string, Uint8Array> = {};
  for (const name of names) files[name] = await readFile(join(dir, name));
  return files;
}

/** Creates a zip of all files in `dir`, sorted by name, with fixed times and modes. The same files give the same bytes. */
export async function zipFolder(dir: string): Promise<Uint8Array> {
  const files: Zippable = await readFolder(dir);
  const build = files[BUILD_FILE];
  if (build instanceof Uint8Array) files[BUILD_FILE] = [build, { level: 0 }];
  return zipSync(files, { level: 9, mtime: FIXED_TIME, os: UNIX, attrs: REGULAR_FILE_644 });
}
