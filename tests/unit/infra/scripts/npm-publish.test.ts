/** The step of release.yml that publishes the packages, with a fake npm. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runReleaseStep, type StepRun } from '../../../helpers/release-steps.ts';
import { callsOf, fake, inFolder, useFakeCommands } from './fake-commands.ts';

const NAMES = ['functions-local', 'sluice-convert', 'sluice', 'create-sluice'];
const OPTIONS = '--provenance --access public --ignore-scripts';

const contentOf = (name: string): string => `the tarball of ${name}`;
const integrityOf = (content: string): string => `sha512-${createHash('sha512').update(content).digest('base64')}`;

useFakeCommands();
beforeEach(() => {
  mkdirSync(inFolder('out'));
  for (const name of NAMES) writeFileSync(inFolder(`out/${name}-1.2.3.tgz`), contentOf(name));
  // A registry with the integrity of each version in a file. Publishing fails at the name in `fails`.
  fake(
    'npm',
    `case "$1" in
view) cat "$FAKES/registry/$2" 2>/dev/null || { echo 'npm error code E404' >&2; exit 1; } ;;
publish) case "$2" in *"$(cat "$FAKES/fails" 2>/dev/null || echo none)"*) exit 1 ;; esac ;;
esac`,
  );
});

const publish = (): StepRun =>
  runReleaseStep('Publish to npm', inFolder('.'), {
    PATH: `${inFolder('.')}:${process.env.PATH}`,
    FAKES: inFolder('.'),
    GITHUB_REF_NAME: 'v1.2.3',
  });
const published = (): string[] => callsOf('npm').filter((call) => call.startsWith('publish'));
const callFor = (name: string): string => `publish ./out/${name}-1.2.3.tgz ${OPTIONS}`;

/** Puts a version into the registry. */
function setInRegistry(name: string, content = contentOf(name)): void {
  const file = inFolder(join('registry', `${name}@1.2.3`));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${integrityOf(content)}\n`);
}

describe('Publish to npm', () => {
  it('publishes every package once, after those that it needs', () => {
    expect(publish().status).toBe(0);
    expect(published()).toEqual(NAMES.map(callFor));
  });

  it('ends at the first package that npm refuses', () => {
    writeFileSync(inFolder('fails'), 'sluice-convert');

    expect(publish().status).toBe(1);
    expect(published()).toEqual(['functions-local', 'sluice-convert'].map(callFor));
  });

  it('publishes only the rest when it is started again', () => {
    setInRegistry('functions-local');
    setInRegistry('sluice-convert');

    const { status, stdout } = publish();

    expect(status).toBe(0);
    expect(published()).toEqual(['sluice', 'create-sluice'].map(callFor));
    expect(stdout).toContain('sluice-convert@1.2.3 is in the registry already.');
  });

  it('fails for a version that is in the registry with other content', () => {
    setInRegistry('functions-local');
    setInRegistry('sluice-convert', 'other content');

    const { status, stdout } = publish();

    expect(status).toBe(1);
    expect(published()).toEqual([]);
    expect(stdout).toContain('::error::sluice-convert@1.2.3 is in the registry with other content');
  });

  it('fails if a tarball is missing, even if its version is in the registry', () => {
    for (const name of NAMES) setInRegistry(name);
    rmSync(inFolder('out/create-sluice-1.2.3.tgz'));

    expect(publish().status).not.toBe(0);
  });
});
