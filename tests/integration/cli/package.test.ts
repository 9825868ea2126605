import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
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

/** Returns the relative and bare modules that a file of the build imports, statically or dynamically. */
async function importsOf(file: string): Promise<{ relative: string[]; bare: string[] }> {
  const text = await readFile(join(ROOT, file), 'utf8');
  const names = [...text.matchAll(/(?:^(?:import|export)[^'"]*from |^import |[^.\w]import\()['"]([^'"]+)['"]/gm)].map(
    ([, name = '']) => name,
  );
  return {
    // The command also contains the imports of a new workload, as text.
    relative: names
      .filter((name) => name.startsWith('.') && !name.includes('$'))
      .map((name) => join(dirname(file), name)),
    bare: names.filter((name) => !/^(\.|node:|\$|sluice(\/|$)|vitest$)/.test(name)),
  };
}

describe('the packed command', () => {
  it('contains all files that it loads, and imports only its dependencies', async () => {
    const { stdout } = await exec('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
    // npm 11 prints an array of packages, npm 12 an object by name.
    const [pack] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[];
    const files = new Set(pack?.files.map(({ path }) => path));

    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
      await readFile(join(ROOT, 'package.json'), 'utf8'),
    );
    const seen = new Set<string>();
    const packages = new Set<string>();
    const open = ['dist/cli/sluice.js'];
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      if (seen.has(file)) continue;
      seen.add(file);
      const { relative, bare } = await importsOf(file);
      open.push(...relative);
      for (const name of bare) packages.add(name.split('/', name.startsWith('@') ? 2 : 1).join('/'));
    }
    expect(seen.size).toBeGreaterThan(50);
    expect([...seen].filter((file) => !files.has(file))).toEqual([]);
    // The commands of an app load tools that are development dependencies of the app: as optional peers of this package,
    // npm would install them in production, too.
    const tools = { esbuild: '', fflate: '', 'functions-local': '' };
    const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...tools };
    expect([...packages].filter((name) => !Object.hasOwn(declared, name))).toEqual([]);
    expect([...packages]).toContain('commander');
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
