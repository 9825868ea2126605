import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AZURE_COMMANDS } from '../../../../cli/azure/commands.ts';
import { ROOT } from '../bicep.ts';
import { SHELLS } from './fake-commands.ts';

it('the tests run with more than one shell', () => {
  expect(SHELLS.length).toBeGreaterThan(1);
});

describe('the commands of docs/deploy.md', () => {
  const text = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
  const SECTIONS = ['What you need', 'azd up', 'Manual deployment', 'Smoke test', 'From GitHub Actions', 'Rollback'];
  const blocks = SECTIONS.flatMap((heading) => {
    const [, section = ''] = new RegExp(`^##+ ${heading}$([\\s\\S]*?)(?=^##+ |(?![\\s\\S]))`, 'm').exec(text) ?? [];
    const found = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);
    expect(found, heading).not.toEqual([]);
    return found.map((block) => [heading, block] as const);
  });

  it.each(blocks)('are valid shell commands: %s, %#', (_heading, block) => {
    for (const shell of SHELLS) {
      const [command = '', ...options] = shell.split(' ');
      expect(spawnSync(command, [...options, '-n'], { input: block, encoding: 'utf8' })).toMatchObject({
        ...{ status: 0, stderr: '' },
      });
    }
    // A placeholder outside quotes would be a redirection.
    expect(block.replaceAll(/'[^']*'|"[^"]*"|#.*$/gm, '')).not.toMatch(/<\w/);
  });

  it('call commands that exist', () => {
    const called = blocks.flatMap(([, block]) => block.match(/(?<=npx sluice azure )[\w-]+/g) ?? []);
    expect(called.length).toBeGreaterThan(5);
    expect(called.filter((name) => !AZURE_COMMANDS.includes(name))).toEqual([]);
  });
});

describe.each(['azure.yaml', '.github/workflows/deploy.yml'])('the commands of %s', (file) => {
  const text = readFileSync(join(ROOT, file), 'utf8');

  it('run from the sources, which need no build, and exist', () => {
    const called = text.match(/(?<=npm run --silent sluice -- azure )[\w-]+/g) ?? [];
    expect(called.length).toBeGreaterThanOrEqual(3);
    expect(called.filter((name) => !AZURE_COMMANDS.includes(name))).toEqual([]);
    expect(text).not.toMatch(/\bsh infra\//);
  });
});
