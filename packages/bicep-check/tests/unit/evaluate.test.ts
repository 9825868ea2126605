import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { type Expanded, expandTemplate, readParameterFile, type Value } from '../../src/index.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-expand-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

function expand(
  text: string,
  parameters: Readonly<Record<string, Value>> = {},
  files: Record<string, string> = {},
): Expanded {
  write({ 'main.bicep': text, ...files });
  return expandTemplate('main.bicep', parameters, { root });
}

/** Evaluates an expression after the given declarations. */
const resultOf = (expression: string, before = ''): Value | undefined =>
  expand(`${before}\noutput value object = ${expression}\n`).outputs.value;

describe('an expression', () => {
  test.each<[string, Value]>([
    ["'plain'", 'plain'],
    ["'a\\'b\\\\c\\n\\u{e9}\\$'", "a'b\\c\né$"],
    [`'''\nas it is \${no}\\n'''`, `as it is \${no}\\n`],
    [`'\${1 + 1} and \${true ? 'in\${'n'}er' : ''}!'`, '2 and inner!'],
    [`'\${true}\${null}\${[1]}'`, 'True[1]'],
    ['1 + 2 * 3 - 4 / 2 % 2', 7],
    ['-(7 / 2)', -3],
    ['!false && 1 < 2 || false', true],
    ["'A' =~ 'a' && 'A' != 'a' && 'A' !~ 'b'", true],
    ['{ a: [1] } == { a: [1] }', true],
    ["null ?? 'other'", 'other'],
    ["1 >= 2 ? 'yes' : 1 <= 1 ? 'no, but' : 'no'", 'no, but'],
    ["true\n  ? 'over'\n  : 'lines'", 'over'],
    ["[1, 'two'\n  -3\n  // a comment\n  (4)\n]", [1, 'two', -3, 4]],
    [`{ a: 1, 'b-\${1}': 2\n  c: { d: null } }`, { a: 1, 'b-1': 2, c: { d: null } }],
    ['{ a: 1, ...{ a: 2, b: 3 }, b: 4 }', { a: 2, b: 4 }],
    ['[1, ...[2, 3]]', [1, 2, 3]],
    ["{ a: { b: ['c'] } }.a.b[0]", 'c'],
    ["{ 'a-b': 1 }['a-b']", 1],
    ["{ a: 1 }.?b ?? 'none'", 'none'],
    ["[][?0] ?? 'none'", 'none'],
    ['[for i in range(1, 3): i * i]', [1, 4, 9]],
    [`[for (name, index) in ['a', 'b']: '\${index}\${name}']`, ['0a', '1b']],
    [
      '[for a in [1, 2]: [for b in [3, 4]: a * b]]',
      [
        [3, 4],
        [6, 8],
      ],
    ],
    ['[for i in range(0, 4): if (i % 2 == 0) { i: i }]', [{ i: 0 }, { i: 2 }]],
  ])('%s', (text, value) => {
    expect(resultOf(text)).toEqual(value);
  });

  it('binds a property more tightly than operators, arrows and conditions', () => {
    const before = 'var a = { b: 1, c: true, list: [{ n: 1 }, { n: 2 }] }';
    expect(resultOf('[1 == a.b, !a.c, a.c && a.b == 1, a.c ? a.b : a.list[1].n]', before)).toEqual([
      true,
      false,
      true,
      1,
    ]);
    expect(resultOf('filter(a.list, (x, i) => x.n > 1 && a.list[i].n == x.n)', before)).toEqual([{ n: 2 }]);
  });

  test.each<[string, Value]>([
    ["map(['a', 'b'], x => toUpper(x))", ['A', 'B']],
    ['reduce([1, 2, 3], 0, (sum, x) => sum + x)', 6],
    ['sort([3, 1, 2], (a, b) => a < b)', [1, 2, 3]],
    ["toObject(['a'], x => x, x => 1)", { a: 1 }],
    ['mapValues({ a: 1 }, x => x + 1)', { a: 2 }],
    [
      "groupBy([{ k: 'a', v: 1 }, { k: 'a', v: 2 }], x => x.k)",
      {
        a: [
          { k: 'a', v: 1 },
          { k: 'a', v: 2 },
        ],
      },
    ],
    ['union({ a: { x: 1 } }, { a: { y: 2 }, b: 3 })', { a: { x: 1, y: 2 }, b: 3 }],
    ['union([1, 2], [2, 3])', [1, 2, 3]],
    ['intersection([1, 2], [2, 3])', [2]],
    [
      'items({ b: 1, a: 2 })',
      [
        { key: 'a', value: 2 },
        { key: 'b', value: 1 },
      ],
    ],
    ['objectKeys({ b: 1, a: 2 })', ['a', 'b']],
    ["[contains('abc', 'b'), contains([1], 2), contains({ Key: 1 }, 'key')]", [true, false, true]],
    ["[empty(''), empty([]), empty({}), empty(null), empty('a')]", [true, true, true, true, false]],
    ["[length('abc'), length([1]), length({ a: 1 })]", [3, 1, 1]],
    ['concat([1], [2], [3])', [1, 2, 3]],
    ["join(split('a,b;c', [',', ';']), '-')", 'a-b-c'],
    ["replace(toLower('A$B'), '$', '-')", 'a-b'],
    ["[take('abcd', 2), skip('abcd', 2), substring('abcd', 1, 2)]", ['ab', 'cd', 'bc']],
    ["[first(['a', 'b']), last(['a', 'b']), take([1, 2, 3], 2), flatten([[1], [2]])]", ['a', 'b', [1, 2], [1, 2]]],
    ["[startsWith('abc', 'A'), endsWith('abc', 'C'), indexOf('abc', 'c'), indexOf([1, 2], 2)]", [true, true, 2, 1]],
    ["[int('7'), string(7), bool('True'), string({ a: 1 }), json('0.5'), any(1)]", [7, '7', true, '{"a":1}', 0.5, 1]],
    ['[min(1, 2), max([1, 2]), coalesce(null, 3)]', [1, 2, 3]],
    ["format('{0}-{1}', 'a', 1)", 'a-1'],
    ["[padLeft(7, 3, '0'), trim(' a '), base64ToString(base64('a'))]", ['007', 'a', 'a']],
    ["[cidrSubnet('10.0.0.0/22', 24, 1), cidrSubnet('10.0.0.0/22', 27, 9)]", ['10.0.1.0/24', '10.0.1.32/27']],
    ["dateTimeAdd('2026-01-31T00:00:00Z', '-P1D', 'yyyy-MM-01')", '2026-01-01'],
    ["az.concat(['a'], sys.array('b'))", ['a', 'b']],
  ])('calls %s', (text, value) => {
    expect(resultOf(text)).toEqual(value);
  });

  it('calls a function of the file', () => {
    expect(resultOf("name('x')", `func name(part string) string => 'app-\${part}'`)).toBe('app-x');
  });

  it('computes uniqueString from its arguments only', () => {
    const [a, b, c] = resultOf("[uniqueString('a', 'b'), uniqueString('a', 'b'), uniqueString('ab')]") as string[];
    expect(a).toMatch(/^[a-z2-7]{13}$/);
    expect([b, c === a]).toEqual([a, false]);
    expect(resultOf("guid('a') == guid('a') && guid('a') != guid('b')")).toBe(true);
    expect(resultOf("guid('a')")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('reads files relative to its own', () => {
    const files = { 'folder/data.json': '{ "a": [1] }', 'folder/text.txt': 'words' };
    const module = "output all array = [loadJsonContent('data.json').a[0], loadTextContent('text.txt')]\n";
    const main = "module m 'folder/m.bicep' = {}\noutput value array = m.outputs.all\n";
    expect(expand(main, {}, { ...files, 'folder/m.bicep': module }).outputs.value).toEqual([1, 'words']);
  });
});

describe('an invalid expression', () => {
  test.each([
    ['nothing', '"nothing" is not declared'],
    ['frobnicate(1)', 'unknown function "frobnicate"'],
    ['{ a: 1 }.b', 'no property "b", only a'],
    ['[1][1]', 'no item 1: there are 1'],
    ["'a' + 'b'", '"+" does not go with texts'],
    ["1 + 'b'", '"+" does not go with 1 and "b"'],
    ['1 && true', '"&&" does not go with 1'],
    ["'yes' ? 1 : 2", 'expected true or false, got "yes"'],
    ["[for x in 'abc': x]", 'expected an array to loop over, got "abc"'],
    ["join('a', 'b')", 'expected an array, got "a"'],
    ['first', '"first" is not declared'],
    ["fail('the reason')", 'the reason'],
    ["readEnvironmentVariable('NONE')", 'the environment has no NONE, and there is no default'],
    ['a == b c', 'expected the end of the line, got "c"'],
    [`'\${1`, 'a text without end'],
    ['[1', 'expected a value, got end'],
  ])('%s is refused with file and line', (text, message) => {
    const before = 'var a = 1\nvar b = 1';
    expect(() => resultOf(text, before)).toThrow(new RegExp(`^main\\.bicep:[34567]: .*${escaped(message)}`));
  });

  it('is refused if it refers to itself', () => {
    expect(() => resultOf('a', 'var a = b\nvar b = a')).toThrow('main.bicep:2: "a" needs its own value');
  });
});

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const ACCOUNT = "resource account 'Microsoft.Storage/storageAccounts@2025-06-01'";
const child = (body: string): string =>
  `${ACCOUNT} = { name: 'st' }\nresource blobs 'Microsoft.Storage/storageAccounts/blobServices@2025-06-01' = ${body}\n`;

describe('a resource', () => {
  it('has type, version, name, scope and body', () => {
    const { resources } = expand(
      `${ACCOUNT} = {\n name: 'st'\n location: 'here'\n tags: { a: 'b' }\n properties: { x: 1 }\n}\n`,
    );
    expect(resources).toEqual([
      {
        type: 'Microsoft.Storage/storageAccounts',
        apiVersion: '2025-06-01',
        module: 'main',
        symbol: 'account',
        name: 'st',
        scope: 'subscription',
        location: 'here',
        tags: { a: 'b' },
        properties: { x: 1 },
        body: { name: 'st', location: 'here', tags: { a: 'b' }, properties: { x: 1 } },
        dependsOn: [],
      },
    ]);
  });

  it('has the name of its parent as a prefix, and sends its own name', () => {
    const [, blobs] = expand(child("{ parent: account, name: 'default' }")).resources;
    expect(blobs).toMatchObject({ name: 'st/default', body: { name: 'default' } });
    expect(blobs?.body).not.toHaveProperty('parent');
  });

  it('can be nested in its parent', () => {
    const nested = `${ACCOUNT} = {\n name: 'st'\n resource blobs 'blobServices' = {\n  name: 'default'\n  resource one 'containers' = { name: 'a' }\n }\n}\n`;
    const { resources, outputs } = expand(`${nested}output id string = account::blobs.id\n`);
    expect(resources.map(({ type, apiVersion, name }) => [type, apiVersion, name])).toEqual([
      ['Microsoft.Storage/storageAccounts', '2025-06-01', 'st'],
      ['Microsoft.Storage/storageAccounts/blobServices', '2025-06-01', 'st/default'],
      ['Microsoft.Storage/storageAccounts/blobServices/containers', '2025-06-01', 'st/default/a'],
    ]);
    expect(outputs.id).toBe('[reference(Microsoft.Storage/storageAccounts/blobServices st/default).id]');
  });

  it('is omitted if its condition is false', () => {
    const text = (condition: string): string => `${ACCOUNT} = if (${condition}) {\n name: 'st'\n}\n`;
    expect(expand(text('1 == 1')).resources).toHaveLength(1);
    expect(expand(text('1 == 2')).resources).toHaveLength(0);
  });

  it('exists once per item of a loop, and is accessible by index', () => {
    const text = `${ACCOUNT} = [for (name, i) in ['a', 'b', 'c']: if (name != 'b') {\n name: '\${name}\${i}'\n}]\noutput second string = account[2].name\n`;
    const { resources, outputs } = expand(text);
    expect(resources.map(({ name, symbol }) => [name, symbol])).toEqual([
      ['a0', 'account[0]'],
      ['c2', 'account[2]'],
    ]);
    expect(outputs.second).toBe('c2');
  });

  it('is not deployed if it is declared as existing', () => {
    const { resources, existing } = expand(`${ACCOUNT} existing = { name: 'st' }\n`);
    expect([resources, existing]).toEqual([[], ['Microsoft.Storage/storageAccounts st']]);
  });

  it('represents values that only Azure knows as texts, alone and inside others', () => {
    const text = `${ACCOUNT} = { name: 'st' }\noutput all array = [account.id, 'at \${account.properties.primaryEndpoints.blob}x', account.properties.list[0].a, account.listKeys().keys[0].value, account.name, account.type]\n`;
    const reference = 'reference(Microsoft.Storage/storageAccounts st)';
    expect(expand(text).outputs.all).toEqual([
      `[${reference}.id]`,
      `at [${reference}.properties.primaryEndpoints.blob]x`,
      `[${reference}.properties.list[0].a]`,
      `[${reference}.listKeys().keys[0].value]`,
      'st',
      'Microsoft.Storage/storageAccounts',
    ]);
  });

  it('can extend another, and lists what it waits for', () => {
    const lock =
      "resource lock 'Microsoft.Authorization/locks@2020-05-01' = {\n scope: account\n name: 'keep'\n dependsOn: [account]\n}\n";
    const [, found] = expand(`${ACCOUNT} = { name: 'st' }\n${lock}`).resources;
    expect(found).toMatchObject({
      scope: 'Microsoft.Storage/storageAccounts st',
      dependsOn: ['Microsoft.Storage/storageAccounts st'],
      body: { name: 'keep' },
    });
    expect(found?.body).not.toHaveProperty('scope');
  });

  test.each([
    ["{ parent: other, name: 'a' }", 'main.bicep:2: "other" is not declared'],
    ["{ parent: 'account', name: 'a' }", 'main.bicep:2: the parent of "blobs" is no resource: "account"'],
    ['{ parent: account, name: account.properties.x }', 'main.bicep:2: "blobs" needs a name that is known before'],
    ['{ parent: account }', 'main.bicep:2: "blobs" needs a name that is known before, got nothing'],
    ["if (account.properties.x == 1) { name: 'a' }", 'cannot compare what is known only when deployed'],
  ])('%s is refused', (body, message) => {
    expect(() => expand(child(body))).toThrow(message);
  });

  it('is refused as a child of a wrong type', () => {
    const table =
      "resource wrong 'Microsoft.ServiceBus/namespaces/topics@2024-01-01' = {\n parent: account\n name: 'a'\n}\n";
    expect(() => expand(`${ACCOUNT} = { name: 'st' }\n${table}`)).toThrow(
      'main.bicep:2: Microsoft.ServiceBus/namespaces/topics is no child of Microsoft.Storage/storageAccounts',
    );
  });

  it('is refused if it requires one that is not deployed', () => {
    const text = child("{ parent: account, name: 'a' }").replace("{ name: 'st' }", "if (false) { name: 'st' }");
    expect(() => expand(text)).toThrow('"blobs" is deployed, but its parent st is not');
    const output = `${ACCOUNT} = if (false) { name: 'st' }\noutput x string = account!.properties.x\n`;
    expect(() => expand(output)).toThrow('Microsoft.Storage/storageAccounts st is not deployed with these parameters');
  });
});

const GROUP =
  "resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {\n name: 'rg-x'\n location: 'here'\n}\n";

describe('a module', () => {
  const part = `param name string\nparam extra string = 'default of \${name}'\n${ACCOUNT} = {\n name: name\n location: resourceGroup().location\n}\noutput id string = account.id\noutput extra string = extra\noutput group string = resourceGroup().name\n`;

  it('receives parameters, is deployed to its scope and has outputs', () => {
    const main = `${GROUP}module m 'm.bicep' = {\n scope: group\n params: { name: 'st' }\n}\noutput all array = [m.outputs.id, m.outputs.extra, m.outputs.group]\n`;
    const { resources, outputs } = expand(main, {}, { 'm.bicep': part });
    expect(resources.map(({ module, name, scope }) => [module, name, scope])).toEqual([
      ['main', 'rg-x', 'subscription'],
      ['main/m', 'st', 'Microsoft.Resources/resourceGroups rg-x'],
    ]);
    expect(outputs.all).toEqual(['[reference(Microsoft.Storage/storageAccounts st).id]', 'default of st', 'rg-x']);
  });

  it('can be repeated in nested loops', () => {
    const outer = "param names string[]\nmodule inner 'm.bicep' = [for name in names: {\n params: { name: name }\n}]\n";
    const main = `${GROUP}module outer 'outer.bicep' = [for i in range(0, 2): {\n scope: group\n params: { names: ['a\${i}', 'b\${i}'] }\n}]\n`;
    const { resources } = expand(main, {}, { 'm.bicep': part, 'outer.bicep': outer });
    expect(resources.slice(1).map(({ module, name }) => `${module} ${name}`)).toEqual([
      'main/outer[0]/inner[0] a0',
      'main/outer[0]/inner[1] b0',
      'main/outer[1]/inner[0] a1',
      'main/outer[1]/inner[1] b1',
    ]);
  });

  it('has no outputs if it is omitted', () => {
    const main = `${GROUP}module m 'm.bicep' = if (false) {\n scope: group\n params: { name: 'st' }\n}\n`;
    expect(expand(main, {}, { 'm.bicep': part }).resources).toHaveLength(1);
    expect(() => expand(`${main}output id string = m!.outputs.id\n`, {}, { 'm.bicep': part })).toThrow(
      'module "m" is not deployed with these parameters',
    );
  });

  it('imports the exports of another file', () => {
    const shared = `@export()\nvar prefix = 'st'\n@export()\nfunc full(n string) string => '\${prefix}\${n}'\nvar hidden = 1\n`;
    const use =
      "import { full, prefix as p } from 'shared.bicep'\nimport * as all from 'shared.bicep'\noutput x array = [full('a'), p, all.full('b'), all.prefix]\n";
    expect(expand(use, {}, { 'shared.bicep': shared }).outputs.x).toEqual(['sta', 'st', 'stb', 'st']);
    const hidden = "import { hidden } from 'shared.bicep'\noutput x int = hidden\n";
    expect(() => expand(hidden, {}, { 'shared.bicep': shared })).toThrow('"hidden" is not declared');
  });

  test.each([
    ["{ name: 'st', other: 1 }", 'm.bicep:1: there is no parameter "other"'],
    ['{}', 'm.bicep:1: parameter "name" has no value'],
    ['{ name: 1 }', 'm.bicep:1: parameter "name" must be of type string, got 1'],
  ])('is refused with %s', (params, message) => {
    const main = `${GROUP}module m 'm.bicep' = {\n scope: group\n params: ${params}\n}\n`;
    expect(() => expand(main, {}, { 'm.bicep': part })).toThrow(message);
  });
});

describe('a parameter', () => {
  const text =
    "@description('one of few')\n@allowed(['a', 'b'])\nparam one string = 'a'\n@minValue(1)\n@maxValue(5)\nparam two int = 2\n@minLength(1)\n@maxLength(3)\nparam list string[] = ['x']\nparam open object?\noutput all array = [one, two, list, open]\n";

  it('has its default or the given value', () => {
    expect(expand(text).outputs.all).toEqual(['a', 2, ['x'], null]);
    expect(expand(text, { one: 'b', two: 5, list: ['y'], open: { a: 1 } }).outputs.all).toEqual([
      'b',
      5,
      ['y'],
      { a: 1 },
    ]);
  });

  test.each<[Record<string, Value>, string]>([
    [{ one: 'c' }, 'parameter "one" must be one of ["a","b"], got "c"'],
    [{ two: 0 }, 'parameter "two" must be 1 or more, got 0'],
    [{ two: 6 }, 'parameter "two" must be 5 or less, got 6'],
    [{ list: [] }, 'parameter "list" must have a length of 1 or more'],
    [{ list: ['a', 'b', 'c', 'd'] }, 'parameter "list" must have a length of 3 or less'],
    [{ list: 'a' }, 'parameter "list" must be of type string[], got "a"'],
    [{ three: 1 }, 'there is no parameter "three"'],
  ])('is refused with the value %j', (parameters, message) => {
    expect(() => expand(text, parameters)).toThrow(message);
  });

  it('can be set in a parameter file, which reads the environment', () => {
    write({
      'x/main.bicepparam':
        "using '../main.bicep'\nvar base = readEnvironmentVariable('BASE', 'b')\nparam one = base\nparam two = int(readEnvironmentVariable('TWO'))\n",
    });
    const read = (environment: Record<string, string>) => readParameterFile('x/main.bicepparam', { root, environment });
    expect(read({ TWO: '3' })).toEqual({ template: 'main.bicep', parameters: { one: 'b', two: 3 } });
    expect(read({ TWO: '3', BASE: 'a' }).parameters).toEqual({ one: 'a', two: 3 });
    expect(() => read({})).toThrow('x/main.bicepparam:4: the environment has no TWO');
  });
});
