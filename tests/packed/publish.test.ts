/** A dry run of a release: the steps of release.yml, with npm itself and the tarballs that a release would publish. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runReleaseStep } from '../helpers/release-steps.ts';
import { type Packed, packReleased, ROOT, readAbout } from './pack-released.ts';

/** No network, no cache and no settings of this machine. */
const offline = (folder: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  ...{ npm_config_cache: join(folder, 'cache'), npm_config_offline: 'true', npm_config_dry_run: 'true' },
});

let folder: string;
let packages: Packed[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-publish-'));
  packages = await packReleased(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('Publish to npm', () => {
  it('finds the tarballs, and npm accepts them for everyone', () => {
    const [version] = new Set(packages.map((one) => one.version));

    const { status, stdout, stderr } = runReleaseStep('Publish to npm', folder, {
      ...offline(folder),
      GITHUB_REF_NAME: `v${version}`,
    });

    expect([status, stderr]).toEqual([0, expect.stringContaining('with tag latest and public access (dry-run)')]);
    expect(stdout.match(/^\+ .*$/gm)).toEqual(
      ['functions-local', 'sluice-convert', 'sluice', 'create-sluice'].map((name) => `+ ${name}@${version}`),
    );
  });

  it.each(['sluice', 'functions-local', 'sluice-convert', 'create-sluice'])(
    '%s has what npm checks only when it really publishes, and what its page shows',
    async (name) => {
      const found = packages.find((one) => one.name === name);
      const about = found === undefined ? {} : await readAbout(found);
      expect(about).not.toHaveProperty('private');
      expect(about).toMatchObject({ name, license: 'MIT', description: expect.stringMatching(/.{20}/) });
      expect(about).toHaveProperty('files');
      expect(about).toHaveProperty('engines.node');
    },
  );
});

describe('Write the repository into the packages', () => {
  it('writes the repository of the workflow into the released packages, and nothing else', () => {
    const manifests = execFileSync('git', ['ls-files', 'package.json', 'packages/*/package.json'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const files = manifests.trim().split('\n');
    const copy = join(folder, 'copy');
    const read = (root: string, file: string): Record<string, unknown> =>
      JSON.parse(readFileSync(join(root, file), 'utf8')) as Record<string, unknown>;
    for (const file of files) cpSync(join(ROOT, file), join(copy, file));

    const { npm_config_dry_run: _real, ...env } = offline(folder);
    const { status, stderr } = runReleaseStep('Write the repository into the packages', copy, {
      ...env,
      GITHUB_REPOSITORY: 'somebody/a-fork',
    });

    expect([stderr, status]).toEqual(['', 0]);
    const repository = { type: 'git', url: 'git+https://github.com/somebody/a-fork.git' };
    const expected = files.map((file) => {
      const about = read(ROOT, file);
      return packages.some(({ name }) => name === about.name) ? { ...about, repository } : about;
    });
    expect(files.map((file) => read(copy, file))).toEqual(expected);
  });
});
