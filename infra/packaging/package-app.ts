import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { packageRoot } from '../../cli/version.ts';
import { LICENCES } from './built-in.ts';
import { bundle } from './bundle.ts';
import { refuseForeignCode } from './elf.ts';
import { licences } from './licences.ts';
import { copyPackages, nativePackages } from './native.ts';
import { type RunNpm, runNpm } from './npm.ts';
import { isCheckout } from './own-package.ts';
import { stampBuild } from './stamp-build.ts';
import { versionedHost } from './versioned-host.ts';
import { zipFolder } from './zip.ts';

/** A deployable package. */
export interface AppPackage {
  /** Folder with the content of the zip, which `func azure functionapp publish` and azd deploy. */
  folder: string;
  /** The zip next to the folder. */
  zip: string;
  zipBytes: number;
  /** Size of all scripts in bytes before compression. */
  scriptBytes: number;
}

/** The choices of a package. */
export interface PackageOptions {
  /** Storage provider of the Durable extension: `azureStorage` or `azureManaged`; by default that of the app's host.json. */
  backend?: string | undefined;
  npm?: RunNpm;
}

/**
 * Creates the deployable package of the app at `root` in `outDir`: the bundled scripts, the native packages that they import,
 * host.json, a package.json with the entry, the build and the licences. It contains no development dependencies, local stack or settings,
 * and is always for Linux on x64. It replaces an older package only when it is complete, and does not replace an equal one: azd
 * creates the package before it packages and again before it deploys, when it may already be reading it.
 */
export async function packageApp(root: string, outDir: string, options: PackageOptions = {}): Promise<AppPackage> {
  const { npm = runNpm, backend } = options;
  const folder = join(outDir, 'package');
  const made = `${folder}.${process.pid}`;
  try {
    const host = await versionedHost(root, backend);
    const scriptBytes = await fillFolder(root, made, { host, fetched: join(outDir, 'native-linux-x64'), runNpm: npm });
    const bytes = await zipFolder(made);
    const zip = join(outDir, 'sluice.zip');
    if (!(await isSame(bytes, folder, zip))) {
      await rm(folder, { recursive: true, force: true });
      await rename(made, folder);
      await writeFile(zip, bytes);
    }
    return { folder, zip, zipBytes: bytes.byteLength, scriptBytes };
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

const kib = (bytes: number): string => `${Math.ceil(bytes / 1024).toLocaleString('en')} KiB`;

/** Describes a package in a line, with its path relative to `root`. */
export const describePackage = ({ zip, zipBytes, scriptBytes }: AppPackage, root: string): string =>
  `${relative(root, zip)}  ${kib(zipBytes)} (scripts ${kib(scriptBytes)} before compression)`;

/** Whether the zip and the folder exist with the same content as these bytes. */
async function isSame(bytes: Uint8Array, folder: string, zip: string): Promise<boolean> {
  const [zipped, unpacked] = await Promise.all([
    readFile(zip).catch(() => undefined),
    zipFolder(folder).catch(() => undefined),
  ]);
  return zipped?.equals(bytes) === true && unpacked !== undefined && zipped.equals(unpacked);
}

/** Writes all files of the package. Returns the size of its scripts in bytes. */
async function fillFolder(
  root: string,
  folder: string,
  { host, ...world }: { host: string; fetched: string; runNpm: RunNpm },
): Promise<number> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const metafile = await bundle({ root, outDir: join(folder, 'dist'), host });
  const about = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, license, engines } = about;
  const main = 'dist/functions/main.js';
  const own = { name, version, license, private: true, type: 'module', main, engines };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`);
  const native = await nativePackages({ root, ...world }, metafile);
  await copyPackages(native, folder);
  await refuseForeignCode(folder);
  // An installed package has these in its own modules, where the bundler does not see them.
  const builtIn = isCheckout(root) ? [] : [await readFile(join(packageRoot(), 'dist', LICENCES), 'utf8')];
  const texts = [await licences(root, metafile, native), ...builtIn];
  await writeFile(join(folder, 'THIRD-PARTY-LICENCES.txt'), texts.join('\n'));
  await writeFile(join(folder, 'host.json'), host);
  // That of this package is among those of the third parties.
  if (existsSync(join(root, 'LICENSE'))) await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await stampBuild(folder);
  const scripts = Object.entries(metafile.outputs).filter(([name]) => name.endsWith('.js'));
  return scripts.reduce((sum, [, output]) => sum + output.bytes, 0);
}
