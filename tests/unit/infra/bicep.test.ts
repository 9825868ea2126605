import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  bicepFiles,
  descendants,
  faults,
  nodesOf,
  parseBicep,
  parseText,
  plainText,
  properties,
  ROOT,
} from './bicep.ts';
import { tableBelow } from './docs-table.ts';

const modules = bicepFiles.filter((file) => file.endsWith('.bicep'));
const references = modules.flatMap((file) =>
  nodesOf(file, 'resource_declaration').map((node) =>
    plainText(descendants(node).find(({ type }) => type === 'string')),
  ),
);

describe('the grammar', () => {
  test.each(bicepFiles)('%s has no fault', (file) => {
    expect(faults(parseBicep(file))).toEqual([]);
  });

  it('sees a fault where there is one', () => {
    expect(faults(parseText("resource a 'b@c' = {\n  name: \n"))).not.toEqual([]);
  });
});

describe('resources', () => {
  it('are of the types and API versions of the table in docs/security.md', () => {
    const table = tableBelow('docs/security.md', 'Resource types').map(([type, version]) => `${type}@${version}`);
    expect([...new Set(references)].sort()).toEqual(table.sort());
  });

  it('come at one API version a type', () => {
    const types = [...new Set(references)].map((reference) => reference?.split('@')[0]);
    expect(types).toEqual([...new Set(types)]);
  });

  it('hold no secret: no key is listed, no secure parameter exists', () => {
    const found = modules.filter((file) => /listKeys|listSecrets|listCredentials|@secure/.test(parseBicep(file).text));
    expect(found).toEqual([]);
  });
});

describe('what is declared', () => {
  test.each(modules)('%s describes every parameter and output', (file) => {
    const root = parseBicep(file);
    const silent = root.text.match(/(?<!@description\('(?:[^'\\]|\\.)*'\)\n(?:@.*\n)*)^(?:param|output) \w+/gm) ?? [];
    expect(silent).toEqual([]);
  });

  test.each(modules)('%s gives a module every parameter without default, and no other', (file) => {
    for (const node of nodesOf(file, 'module_declaration')) {
      const path = plainText(descendants(node).find(({ type }) => type === 'string')) ?? '';
      const target = join(file, '..', path);
      const given = descendants(node).find(
        ({ text, type }) => type === 'object_property' && text.startsWith('params:'),
      );
      const body = given?.namedChildren.at(-1);
      const declared = nodesOf(target, 'parameter_declaration').map(({ text }) => /param (\w+)/.exec(text)?.[1] ?? '');
      expect([path, ...properties(body ?? node).map(([key]) => key)].sort()).toEqual([path, ...declared].sort());
    }
  });
});

describe('bicep', () => {
  const bicep = spawnSync('bicep', ['--version'], { encoding: 'utf8' });
  const present = bicep.status === 0;
  it(present ? 'builds and lints main.bicep without a warning' : 'is not on PATH: build and lint are left out', () => {
    if (!present) {
      console.log('bicep is not on PATH: `bicep build` and `bicep lint` are left out.');
      return;
    }
    for (const args of [
      ['build', 'infra/main.bicep', '--stdout'],
      ['build-params', 'infra/main.bicepparam', '--stdout'],
      ['lint', 'infra/main.bicep'],
    ]) {
      const { status, stderr } = spawnSync('bicep', args, { cwd: ROOT, encoding: 'utf8' });
      expect({ args, status, stderr }).toEqual({ args, status: 0, stderr: '' });
    }
  });
});
