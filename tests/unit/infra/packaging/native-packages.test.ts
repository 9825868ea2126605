/** Tests the native packages for the machines of Azure, independent of the machine that creates the package. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { machineOf, refuseForeignCode } from '../../../../infra/packaging/elf.ts';
import { type NativePackage, nativePackages } from '../../../../infra/packaging/native.ts';
import type { RunNpm } from '../../../../infra/packaging/npm.ts';

const BUNDLE = { outputs: { 'main.js': output('sharp') } };
const OTHER_BUNDLE = { outputs: { 'main.js': output('zod') } };

function output(path: string) {
  return {
    imports: [{ path, kind: 'dynamic-import' as const, external: true }],
    ...{ bytes: 1, inputs: {}, exports: [] },
  };
}

/** A lock file with sharp: prebuilt packages for every machine, each with its own dependency. */
const LOCK = {
  packages: {
    '': {},
    'node_modules/sharp': {
      ...{ version: '2.0.0', integrity: 'sha512-sharp', dependencies: { 'detect-libc': '^1.0.0' } },
      optionalDependencies: Object.fromEntries(
        ['darwin-arm64', 'linux-arm64', 'linux-x64', 'linuxmusl-x64', 'win32-x64'].map((machine) => [
          `@img/sharp-${machine}`,
          '2.0.0',
        ]),
      ),
    },
    'node_modules/detect-libc': { version: '1.5.0', integrity: 'sha512-detect' },
    'node_modules/@img/sharp-darwin-arm64': { version: '2.0.0', integrity: 'sha512-mac' },
    'node_modules/@img/sharp-linux-x64': {
      ...{ version: '2.0.0', integrity: 'sha512-linux' },
      optionalDependencies: { '@img/sharp-libvips-linux-x64': '1.3.4' },
    },
    'node_modules/@img/sharp-libvips-linux-x64': { version: '1.3.4', integrity: 'sha512-libvips' },
  },
};
const NAMES = ['@img/sharp-libvips-linux-x64', '@img/sharp-linux-x64', 'detect-libc', 'sharp'];

let root: string;
let calls: { args: readonly string[]; lock: unknown }[];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-native-'));
  calls = [];
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(LOCK));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function install(folder: string, name: string, version: string): void {
  const file = join(folder, 'node_modules', name, 'package.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ name, version }));
}

/** Replaces npm: installs the packages of the lock file in the folder. */
const npm: RunNpm = async (args, folder) => {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  calls.push({ args, lock });
  for (const [path, { version }] of Object.entries(lock.packages as Record<string, { version: string }>))
    if (path !== '') install(folder, path.replace('node_modules/', ''), version);
};

const find = (runNpm = npm, bundle = BUNDLE): Promise<NativePackage[]> =>
  nativePackages({ root, fetched: join(root, 'out/native'), runNpm }, bundle);

/** Creates the result of npm ci on a Mac, with the build of sharp for macOS. */
function installOnMac(): void {
  install(root, 'sharp', '2.0.0');
  install(root, 'detect-libc', '1.5.0');
  install(root, '@img/sharp-darwin-arm64', '2.0.0');
}

describe('the native packages', () => {
  it('are those for Linux on x64 with glibc and their dependencies, and no others', async () => {
    for (const name of NAMES)
      install(root, name, LOCK.packages[`node_modules/${name}` as 'node_modules/sharp'].version);
    expect(await find()).toEqual(NAMES.map((name) => ({ name, folder: join(root, 'node_modules', name) })));
    expect(calls).toEqual([]);
  });

  it('are empty if the bundle imports none', async () => {
    expect(await find(npm, OTHER_BUNDLE)).toEqual([]);
  });

  it('are fetched for the target on a machine of another platform, with the locked version and integrity', async () => {
    installOnMac();
    const found = await find();
    expect(found.map(({ name }) => name)).toEqual(NAMES);
    const fetched = found.filter(({ folder }) => folder.startsWith(join(root, 'out/native/node_modules')));
    expect(fetched.map(({ name }) => name)).toEqual(['@img/sharp-libvips-linux-x64', '@img/sharp-linux-x64']);
    expect(calls).toHaveLength(1);
    expect(calls[0]?.args).toEqual(
      expect.arrayContaining(['ci', '--ignore-scripts', '--os=linux', '--cpu=x64', '--libc=glibc']),
    );
    expect(calls[0]?.lock).toMatchObject({
      packages: {
        'node_modules/@img/sharp-libvips-linux-x64': { version: '1.3.4', integrity: 'sha512-libvips' },
        'node_modules/@img/sharp-linux-x64': { version: '2.0.0', integrity: 'sha512-linux' },
      },
    });
  });

  it('are fetched once', async () => {
    installOnMac();
    expect(await find()).toEqual(await find());
    expect(calls).toHaveLength(1);
  });

  it('are fetched if the installed ones have another version', async () => {
    for (const name of NAMES) install(root, name, '0.9.0');
    expect((await find()).every(({ folder }) => folder.includes('out/native'))).toBe(true);
  });

  it.each([
    ['npm fails', () => Promise.reject(new Error('npm ci failed. EINTEGRITY'))],
    ['npm leaves them out', () => Promise.resolve()],
  ])('fail the packaging if %s', async (_case, runNpm) => {
    installOnMac();
    await expect(find(runNpm)).rejects.toThrow(/EINTEGRITY|Expected npm to fetch @img/);
  });

  it('fail the packaging if the lock file contains no integrity', async () => {
    installOnMac();
    const { integrity: _none, ...unchecked } = LOCK.packages['node_modules/@img/sharp-linux-x64'];
    const packages = { ...LOCK.packages, 'node_modules/@img/sharp-linux-x64': unchecked };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages }));
    await expect(find()).rejects.toThrow('integrity of @img/sharp-linux-x64');
    expect(calls).toEqual([]);
  });
});

/** Returns the first bytes of an ELF file. */
function elf(machine: number, isLittleEndian = true): Buffer {
  const bytes = Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, isLittleEndian ? 1 : 2, 1, ...new Array(57).fill(0)]);
  if (isLittleEndian) bytes.writeUInt16LE(machine, 18);
  else bytes.writeUInt16BE(machine, 18);
  return bytes;
}
const MAC = Buffer.from([0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1, ...new Array(24).fill(0)]);
const WINDOWS = Buffer.from(`MZ${'\0'.repeat(60)}`);

describe('native code in the package', () => {
  const put = (name: string, bytes: Uint8Array): void => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), bytes);
  };

  it.each([
    [elf(62), 'Linux x86-64 (ELF)'],
    [elf(183), 'Linux arm64 (ELF)'],
    [elf(22, false), 'Linux s390x (ELF)'],
    [elf(9999), 'Linux machine 9999 (ELF)'],
    [MAC, 'macOS (Mach-O)'],
    [WINDOWS, 'Windows (PE)'],
    [Buffer.from('{}'), 'not a known format of native code'],
  ])('is recognized by its first bytes', (bytes, expected) => {
    expect(machineOf(bytes)).toBe(expected);
  });

  it('is accepted for x86-64, and other files are ignored', async () => {
    put('node_modules/a/lib/a.node', elf(62));
    put('node_modules/a/lib/liba.so.42.1', elf(62));
    put('node_modules/a/index.js', Buffer.from('//'));
    await expect(refuseForeignCode(root)).resolves.toBeUndefined();
  });

  it.each([
    ['lib/a.node', elf(183), 'Linux arm64 (ELF)'],
    ['lib/liba.so.42', elf(40), 'Linux arm (ELF)'],
    ['lib/a.node', MAC, 'macOS (Mach-O)'],
    ['lib/a.dylib', MAC, 'macOS (Mach-O)'],
    ['lib/a.node', WINDOWS, 'Windows (PE)'],
    ['lib/a.node', Buffer.from('x'), 'not a known format of native code'],
  ])('is refused: %s, %#', async (name, bytes, found) => {
    put('lib/good.node', elf(62));
    put(name, bytes);
    await expect(refuseForeignCode(root)).rejects.toThrow(`${name} is ${found}.`);
  });
});
