/** What is in the packages: everything that an app needs, and nothing that only this repository needs. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LICENCES } from '../../infra/packaging/built-in.ts';
import { type Packed, packReleased, ROOT, readAbout } from './pack-released.ts';

const trackedIn = (...paths: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

let folder: string;
let packages: Packed[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-contents-'));
  packages = await packReleased(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function packed(name: string): Packed {
  const found = packages.find((one) => one.name === name);
  if (found === undefined) throw new Error(`Expected a package ${name}.`);
  return found;
}

/** Folders and files of tests, measurements and demonstrations; not pages about them in docs. */
const OF_REPOSITORY = /(?:^|\/)(?:tests?|bench|demo|workloads|tools|screenshots)\/|\.(?:test|spec)\./;

it.each(['sluice', 'functions-local', 'sluice-convert', 'create-sluice'])(
  '%s has the licence, and a README',
  (name) => {
    const { paths } = packed(name);
    expect(paths).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE']));
  },
);

describe.each(['sluice', 'functions-local', 'sluice-convert'])('%s', (name) => {
  it('has no tests, measurements, demonstrations or sample workloads', () => {
    expect(packed(name).paths.filter((path) => OF_REPOSITORY.test(path))).toEqual([]);
  });

  it('has declarations, but no sources and no source maps', () => {
    const { paths } = packed(name);
    expect(paths.filter((path) => path.endsWith('.d.ts')).length).toBeGreaterThan(0);
    expect(paths.filter((path) => /(?<!\.d)\.tsx?$|\.map$/.test(path))).toEqual([]);
  });

  it('has each file that package.json names', async () => {
    const { paths } = packed(name);
    const { exports, bin = {} } = (await readAbout(packed(name))) as {
      exports: Record<string, string | { default: string }>;
      bin?: Record<string, string>;
    };
    const modules = Object.values(exports).flatMap((target) => (typeof target === 'string' ? [] : [target.default]));
    const named = [...modules.flatMap((path) => [path, path.replace(/\.js$/, '.d.ts')]), ...Object.values(bin)];
    expect(modules.length).toBeGreaterThan(0);
    expect(named.filter((path) => !paths.includes(path.replace(/^\.\//, '')))).toEqual([]);
  });
});

describe('sluice', () => {
  it('has the built dashboard, the settings of the host, and the documents', () => {
    const { paths } = packed('sluice');
    expect(paths).toEqual(
      expect.arrayContaining(['dist/web/assets.js', 'host.json', 'docs/deploy.md', 'docs/api/batches.md']),
    );
    expect(paths.filter((path) => path.startsWith('web/'))).toEqual([]);
  });

  it('has every Bicep file and every script of a deployment', () => {
    const files = trackedIn('infra/*.bicep', 'infra/*.sh', 'infra/modules');
    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((path) => !packed('sluice').paths.includes(path))).toEqual([]);
  });

  it('depends on no package of tests or of sample workloads', async () => {
    const about = await readAbout(packed('sluice'));
    const kinds = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;
    const names = kinds.flatMap((kind) => Object.keys((about[kind] as Record<string, string> | undefined) ?? {}));
    expect(names).toContain('zod');
    expect(names.filter((name) => /^(?:@duckdb\/|playwright|sharp$|vitest$|typescript$)/.test(name))).toEqual([]);
  });

  it('has the licences of what is built into it', () => {
    expect(packed('sluice').paths).toContain(`dist/${LICENCES}`);
    const text = readFileSync(join(ROOT, 'dist', LICENCES), 'utf8');
    for (const name of ['@azure/identity', '@azure/msal-node', '@opentelemetry/sdk-trace-base'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});

describe('create-sluice', () => {
  it('has the whole template, and what it takes over from sluice', () => {
    const template = trackedIn('packages/create-sluice/template').map((path) =>
      path.replace('packages/create-sluice/', ''),
    );
    const parts = ['versions.json', 'host.json', 'local.settings.sample.json'].map((name) => `template/${name}`);
    const { paths } = packed('create-sluice');
    expect(template).toEqual(expect.arrayContaining(['template/gitignore', 'template/github/workflows/deploy.yml']));
    expect(paths.filter((path) => path.startsWith('template/')).toSorted()).toEqual([...template, ...parts].toSorted());
    expect(paths).toEqual(expect.arrayContaining(['index.js', 'src/create-app.js', 'package.json']));
  });
});
