import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';

const ROOT = join(import.meta.dirname, '../../..');
const exec = promisify(execFile);

/** Runs the command of the build with a Node.js binary, and returns exit code and output. */
async function runBuilt(node: string, args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  try {
    const { stdout, stderr } = await exec(node, args, { cwd: ROOT });
    return { code: 0, out: stdout, err: stderr };
  } catch (error: unknown) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, err: stderr };
  }
}

describe('the packed package, and its command', () => {
  it('contains all files that it loads, and imports only what an app has installed', async () => {
    const { stdout } = await exec('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
    // npm 11 prints an array of packages, npm 12 an object by name.
    const [pack] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[];
    const files = new Set(pack?.files.map(({ path }) => path));
    // npm always packs what `main` names. This one is the entry of this repository, which an app cannot import.
    files.delete('dist/functions/sluice.js');

    const entryPoints = [...files].filter((path) => path.endsWith('.js'));
    const { metafile } = await build({
      ...{ absWorkingDir: ROOT, entryPoints, outdir: 'out', bundle: true, packages: 'external', platform: 'node' },
      ...{ format: 'esm', splitting: true, write: false, metafile: true, logLevel: 'error' },
    });
    const inputs = Object.entries(metafile.inputs);
    expect(inputs.length).toBeGreaterThan(50);
    // The smoke test generates items only in this repository, and asks for a file elsewhere.
    const isPacked = (path: string): boolean => files.has(path) || path.startsWith('dist/demo/');
    expect(inputs.map(([path]) => path).filter((path) => !isPacked(path))).toEqual([]);

    const imported = inputs.flatMap(([, { imports }]) => imports.filter(({ external }) => external));
    const packages = new Set(
      imported
        .map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
        .filter((name) => !isBuiltin(name)),
    );
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
      await readFile(join(ROOT, 'package.json'), 'utf8'),
    );
    // The commands of an app load tools that are development dependencies of the app: as optional peers of this package,
    // npm would install them in production, too. The package refers to itself.
    const tools = { esbuild: '', fflate: '', 'functions-local': '', sluice: '' };
    const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...tools };
    expect([...packages].filter((name) => !Object.hasOwn(declared, name))).toEqual([]);
    expect([...packages]).toEqual(expect.arrayContaining(['commander', '@azure/storage-blob']));
  });

  it('runs from the build and from the sources', async () => {
    for (const file of ['dist/cli/sluice.js', 'cli/sluice.ts'])
      expect(await runBuilt(process.execPath, [file, '--version'])).toMatchObject({ code: EXIT.done, err: '' });
  });

  it('reports in one line which Node.js it requires', async () => {
    const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
    const asOld = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, 'dist/cli/sluice.js', 'batches'];
    const said = /^sluice: needs Node\.js 22\.15 or newer; this is [\d.]+ \(.+\)\.\n$/;
    expect(await runBuilt(process.execPath, asOld)).toEqual({ code: 1, out: '', err: expect.stringMatching(said) });
    // Also with the old Node.js of the machine, if there is one: it must understand the syntax.
    const ofMachine = '/usr/bin/node';
    const isOld = existsSync(ofMachine) && /^v(1\d|20)\./.test((await exec(ofMachine, ['--version'])).stdout);
    if (isOld)
      expect(await runBuilt(ofMachine, ['dist/cli/sluice.js'])).toEqual({
        ...{ code: 1, out: '' },
        err: expect.stringMatching(said),
      });
  });
});
