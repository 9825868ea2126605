import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RELEASED, type ReleaseFiles, releaseNotes } from '../../../../infra/packaging/release.ts';
import { ROOT } from '../bicep.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const CHANGELOG = read('CHANGELOG.md');

/** Returns the files of the repository, with a changelog in which `version` is released. */
const filesOf = (version: string, files: Partial<ReleaseFiles> = {}): ReleaseFiles => ({
  app: read('package.json'),
  packages: Object.fromEntries(RELEASED.map((folder) => [folder, read(`packages/${folder}/package.json`)])),
  azureYaml: read('azure.yaml'),
  changelog: `# Changelog\n\n## Pending\n\n## ${version}\n\n- New.\n\n### Steps\n\n- One.\n\n## 0.0.1\n\n- Old.\n`,
  ...files,
});
const { version } = JSON.parse(read('package.json')) as { version: string };

describe('releaseNotes', () => {
  it('are the section of the version, if all files have the version of the tag', () => {
    expect(releaseNotes(`v${version}`, filesOf(version))).toBe('- New.\n\n### Steps\n\n- One.');
  });

  it('are refused for another version, with all files that differ', () => {
    expect(() => releaseNotes('v99.0.0', filesOf('99.0.0'))).toThrow(
      [
        `package.json: expected version 99.0.0, got ${version}`,
        `the dependency sluice-convert in package.json: expected version 99.0.0, got ${version}`,
        `packages/convert/package.json: expected version 99.0.0, got ${version}`,
        `packages/create-sluice/package.json: expected version 99.0.0, got ${version}`,
        `the dependency functions-local in package.json: expected version 99.0.0, got ${version}`,
        `packages/functions-local/package.json: expected version 99.0.0, got ${version}`,
        `azure.yaml: expected version 99.0.0, got ${version}`,
      ].join('\n'),
    );
  });

  it.each(['', version, `v${version}-rc.1`])('are refused for the tag "%s"', (tag) => {
    expect(() => releaseNotes(tag, filesOf(version))).toThrow(/expected a tag such as v1\.2\.3/);
  });

  it.each([
    ['is only pending', `## Pending\n\n- New.\n`],
    ['has no text', `## Pending\n\n## ${version}\n\n## 0.0.1\n\n- Old.\n`],
  ])('are refused if the version %s', (_what, changelog) => {
    expect(() => releaseNotes(`v${version}`, filesOf(version, { changelog }))).toThrow(
      `CHANGELOG.md: expected a section "## ${version}", with text`,
    );
  });
});

it('the changelog starts with the pending section, followed by versions', () => {
  const [first, ...others] = CHANGELOG.match(/(?<=^## ).*$/gm) ?? [];
  expect(first).toBe('Pending');
  expect(others.filter((heading) => !/^\d+\.\d+\.\d+$/.test(heading))).toEqual([]);
});
