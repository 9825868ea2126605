import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Expression, parseDeclarations } from 'bicep-check';
import { describe, expect, it, test } from 'vitest';
import { bicepFiles, declarationsOf, expressionsIn, paramsOf, ROOT, textOf } from './bicep.ts';
import { RESOURCE_TYPES } from './resource-types.ts';

const modules = bicepFiles.filter((file) => file.endsWith('.bicep'));
const references = modules.flatMap((file) => declarationsOf(file, 'resource').map(({ reference }) => reference));

describe('the language', () => {
  test.each(bicepFiles)('has no errors in %s', (file) => {
    expect(parseDeclarations(file, textOf(file))).not.toEqual([]);
  });

  test.each([
    ['a value is missing', "resource a 'b@c' = {\n  name: \n"],
    ['an object has no end', "module a 'b.bicep' = {\n  name: 'b'\n"],
    ['a list of a type has no end', 'param pools string[\nvar a = 1\n'],
    ['a type of an object is not closed', "type a = {\n  @description('b'\n  name: string\n}\n"],
    ['the names of a lambda have no end', 'var a = map([1], (item, index => item)\n'],
    ['a comma is missing', "param a string = contains(['b'] 'b')\n"],
    ['there is no such declaration', 'variable a = 1\n'],
  ])('detects an error: %s', (_, text) => {
    expect(() => parseDeclarations('a.bicep', text)).toThrow(/^a\.bicep:\d+: /);
  });
});

describe('resources', () => {
  it('have the types and API versions that were checked', () => {
    expect([...new Set(references)].sort()).toEqual(RESOURCE_TYPES.toSorted());
  });

  it('have one API version per type', () => {
    const types = [...new Set(references)].map((reference) => reference.split('@')[0]);
    expect(types).toEqual([...new Set(types)]);
  });

  it('contain no secrets: no listed keys and no secure parameters', () => {
    const found = modules.filter((file) => /listKeys|listSecrets|listCredentials|@secure/.test(textOf(file)));
    expect(found).toEqual([]);
  });
});

describe('the declarations', () => {
  test.each(modules)('have a description for every parameter and output: %s', (file) => {
    const silent =
      textOf(file).match(/(?<!@description\('(?:[^'\\]|\\.)*'\)\n(?:@.*\n)*)^(?:param|output) \w+/gm) ?? [];
    expect(silent).toEqual([]);
  });

  test.each(modules)('pass every parameter without a default to modules, and no unknown ones: %s', (file) => {
    for (const module of declarationsOf(file, 'module')) {
      const given = paramsOf(module).map(([name]) => name);
      const declared = declarationsOf(join(file, '..', module.reference), 'param').map(({ name }) => name);
      expect([module.name, ...given.sort()]).toEqual([module.name, ...declared.sort()]);
    }
  });

  it('allow what-if: no module parameter is an output of another module', () => {
    const isOutputs = (one: Expression): boolean => one.kind === 'member' && one.name === 'outputs';
    const found = modules.flatMap((file) =>
      declarationsOf(file, 'module', 'resource', 'var').filter(({ value }) => expressionsIn(value).some(isOutputs)),
    );
    expect(found.map(({ name }) => name)).toEqual([]);
    const output = parseDeclarations('a.bicep', "module a 'b.bicep' = {\n  params: { c: [d.outputs.name] }\n}\n");
    expect(expressionsIn(output[0]?.value).some(isOutputs)).toBe(true);
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
