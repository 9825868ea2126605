/** Packs what a release publishes, from the existing build. */
import { execFile } from 'node:child_process';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const ROOT = join(import.meta.dirname, '../..');

/** A packed package. */
export interface Packed {
  name: string;
  version: string;
  /** Path of the tarball. */
  file: string;
  /** Paths in the package. */
  paths: string[];
}

/** Files of the repository that `prepack` of create-sluice copies. */
const PARTS = ['package.json', 'host.json', 'local.settings.sample.json'];
const CREATE = 'packages/create-sluice';

/** Packs all released packages into `folder`/out. Scripts of the builds do not run: they would replace what other tests run. */
export async function packReleased(folder: string): Promise<Packed[]> {
  const out = join(folder, 'out');
  await mkdir(out, { recursive: true });
  const built = ['.', '--workspace', 'functions-local', '--workspace', 'sluice-convert', '--include-workspace-root'];
  return [...(await pack(ROOT, out, ['--ignore-scripts', ...built])), ...(await packCreateSluice(folder, out))];
}

/** In a copy, because its `prepack` writes into the template, and its `postpack` removes what another test may be packing. */
async function packCreateSluice(folder: string, out: string): Promise<Packed[]> {
  const copy = join(folder, 'checkout');
  await cp(join(ROOT, CREATE), join(copy, CREATE), { recursive: true });
  for (const file of PARTS) await cp(join(ROOT, file), join(copy, file));
  const packed = await pack(copy, out, ['--workspace', 'create-sluice']);
  await rm(copy, { recursive: true });
  return packed;
}

async function pack(cwd: string, out: string, args: readonly string[]): Promise<Packed[]> {
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', out, ...args], {
    cwd,
    maxBuffer: 64 * 1024 * 1024,
  });
  const packed = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) as {
    name: string;
    version: string;
    filename: string;
    files: { path: string }[];
  }[];
  return packed.map(({ name, version, filename, files }) => ({
    ...{ name, version, file: join(out, filename) },
    paths: files.map(({ path }) => path),
  }));
}

/** Returns the package.json in a tarball. */
export async function readAbout({ file }: Packed): Promise<Record<string, unknown>> {
  const { stdout } = await run('tar', ['-xzOf', file, 'package/package.json']);
  return JSON.parse(stdout) as Record<string, unknown>;
}
