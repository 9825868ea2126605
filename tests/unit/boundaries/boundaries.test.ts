import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkBoundaries, pathsOfTables, unusedPermissions } from './check.ts';
import { drawRooms } from './picture.ts';
import { ROOMS } from './rooms.ts';

const ROOT = join(import.meta.dirname, '../../..');
const isSource = (file: string): boolean => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file);
const files: Record<string, string> = Object.fromEntries(
  readdirSync(ROOT, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.') && name !== 'node_modules' && name !== 'dist')
    .flatMap((entry) =>
      entry.isDirectory()
        ? readdirSync(join(ROOT, entry.name), { recursive: true, encoding: 'utf8' }).map((name) =>
            join(entry.name, name),
          )
        : [entry.name],
    )
    .filter(isSource)
    .map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]),
);

const breaches = checkBoundaries(files);

test('every source file obeys the table', () => {
  expect(Object.keys(files).length).toBeGreaterThan(900);
  expect(breaches).toEqual([]);
});

test('the picture in docs/architecture.md is that of the imports', () => {
  expect(readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8')).toContain(drawRooms(files));
});

test('the tables contain only existing files', () => {
  const missing = pathsOfTables().filter(
    (path) => !existsSync(join(ROOT, path)) || (path.endsWith('/') && !statSync(join(ROOT, path)).isDirectory()),
  );
  expect(missing).toEqual([]);
});

// In shared/, the order of rooms decides, not the present use; a package may import the packages that it lists.
const LISTED = ROOMS.map(({ path }) => path).filter((path) => !/^(shared|packages)\//.test(path));

test.each(LISTED)('%s uses all of its permissions', (room) => {
  expect(unusedPermissions(files, room)).toEqual([]);
});

test('finds a permission that is not used any more', () => {
  const emptied = Object.fromEntries(Object.keys(files).map((file) => [file, '']));
  expect(unusedPermissions(emptied, 'workloads/thread.ts')).toEqual(['workloads/', 'sluice/thread']);
});

/** Returns the violations that appear when lines are added to files, which need not exist. */
function adding(added: Readonly<Record<string, string>>): string[] {
  const changed = Object.entries(added).map(([file, text]) => [file, `${files[file] ?? ''}\n${text}`]);
  return checkBoundaries({ ...files, ...Object.fromEntries(changed) }).filter((breach) => !breaches.includes(breach));
}

describe('a room may not import', () => {
  test.each([
    ['contract', '../workload/define.ts'],
    ['workload', '../storage/table.ts'],
    ['storage', '../batches/ledger.ts'],
    ['batches', '../gate/gate.ts'],
    ['events', '../gate/gate.ts'],
    ['gate', '../queues/enqueue.ts'],
    ['queues', '../intake/submit.ts'],
    ['intake', '../drain/drain-queue.ts'],
    ['drain', '../processing/sources.ts'],
    ['processing', '../results/report.ts'],
    ['results', '../commands/delete.ts'],
    ['commands', '../sweep/sweep-run.ts'],
    ['sweep', '../http/routes.ts'],
    ['cost', '../storage/table.ts'],
    ['telemetry', '../storage/table.ts'],
    ['intake/parse', '../../storage/table.ts'],
    ['processing/thread', '../threads/threads.ts'],
    ['batches', '../settings.ts'],
    ['sweep', '../pipeline.ts'],
    ['http', '../pipeline.ts'],
    ['http', '../../functions/app.ts'],
    ['batches', '../../workloads/index.ts'],
  ])('in shared/: %s → %s', (room, target) => {
    const file = `shared/${room}/new.ts`;
    const imported = join(`shared/${room}`, target);
    const found = adding({ [file]: `import { x } from '${target}';` });
    expect(found.filter((breach) => !breach.startsWith('circle in '))).toEqual([
      expect.stringContaining(`${file} imports ${imported}: shared/${room}/ may import `),
    ]);
  });

  test.each([
    ['shared/errors.ts', './contract/names.ts', 'shared/errors.ts may import nothing of it'],
    ['shared/settings.ts', './storage/table.ts', 'shared/settings.ts may import nothing of it'],
    ['shared/pipeline.ts', './http/routes.ts', 'shared/pipeline.ts may import nothing of it'],
    ['functions/new.ts', '../cli/run.ts', 'functions/ may import nothing of it'],
    ['functions/new.ts', '../demo/stack.ts', 'functions/ may import nothing of it'],
    ['workloads/new.ts', '../shared/storage/table.ts', 'workloads/ may import nothing of it'],
    ['workloads/thread.ts', '../shared/processing/items-round.ts', 'workloads/thread.ts may import nothing of it'],
    ['cli/new.ts', '../shared/http/routes.ts', 'cli/ may import only its types'],
    ['cli/new.ts', '../shared/pipeline.ts', 'cli/ may import nothing of it'],
    ['cli/new.ts', '../shared/storage/table.ts', 'cli/ may import nothing of it'],
    ['web/new.tsx', '../shared/http/batches/schemas.ts', 'web/ may import only its types'],
    ['demo/new.ts', '../shared/http/routes.ts', 'demo/ may import nothing of it'],
    ['demo/new.ts', '../shared/pipeline.ts', 'demo/ may import nothing of it'],
    ['infra/new.ts', '../shared/http/routes.ts', 'infra/ may import only its types'],
    ['bench/new.ts', '../shared/http/routes.ts', 'bench/ may import nothing of it'],
    ['bench/new.ts', '../shared/pipeline.ts', 'bench/ may import nothing of it'],
    ['bench/new.ts', '../shared/storage/table.ts', 'bench/ may import nothing of it'],
    ['functions/new.ts', '../shared/storage/table.ts', 'functions/ may import nothing of it'],
    ['bench/new.ts', '../functions/app.ts', 'bench/ may import nothing of it'],
    ['bench/new.ts', '../tests/helpers/stack.ts', 'bench/ may import nothing of it'],
    [
      'packages/functions-local/src/new.ts',
      '../../../shared/errors.ts',
      'packages/functions-local/ may import nothing of it',
    ],
    [
      'packages/functions-local/tests/unit/new.ts',
      '../../../../shared/errors.ts',
      'packages/functions-local/tests/ may import nothing of it',
    ],
    [
      'packages/functions-local/src/storage/new.ts',
      '../ports.ts',
      'packages/functions-local/src/storage/ may import nothing of it',
    ],
  ])('outside: %s → %s', (file, target, message) => {
    expect(adding({ [file]: `import { x } from '${target}';` })).toEqual([
      `${file} imports ${join(file, '..', target)}: ${message}`,
    ]);
  });

  test.each([
    ['shared/batches/new.ts', '@azure/data-tables', 'shared/batches/ may import nothing of it'],
    ['shared/events/new.ts', '@azure/service-bus', 'shared/events/ may import only its types'],
    ['shared/results/new.ts', '@azure/storage-blob', 'shared/results/ may import only its types'],
    ['shared/contract/new.ts', 'node:fs', 'shared/contract/ may import nothing of it'],
    ['tools/cost/new.ts', '@azure/storage-blob', 'tools/cost/ may import nothing of it'],
    ['shared/http/new.ts', '@azure/functions', 'shared/http/ may import only its types'],
    ['shared/events/new.ts', 'durable-functions', 'shared/events/ may import nothing of it'],
    ['shared/pipeline.ts', 'durable-functions', 'shared/pipeline.ts may import nothing of it'],
    ['cli/new.ts', '@azure/functions', 'cli/ may import nothing of it'],
    ['functions/new.ts', 'functions-local', 'functions/ may import nothing of it'],
    ['workloads/new.ts', 'functions-local/host', 'workloads/ may import nothing of it'],
    ['workloads/new.ts', '@azure/storage-blob', 'workloads/ may import nothing of it'],
    ['packages/functions-local/src/new.ts', 'zod', 'packages/functions-local/ may import nothing of it'],
    ['packages/functions-local/src/storage/new.ts', 'azurite', 'packages/functions-local/src/storage/ may import'],
  ])('packages: %s → %s', (file, target, message) => {
    expect(adding({ [file]: `import { x } from '${target}';` })).toEqual([
      expect.stringContaining(`${file} imports package ${target}: ${message}`),
    ]);
  });

  test.each([
    "import type { X } from '../storage/table.ts';",
    "import { type X } from '../storage/table.ts';",
    "import '../storage/table.ts';",
    "export * from '../storage/table.ts';",
    "export type { X } from '../storage/table.ts';",
    "export { x } from '../storage/table.ts';",
    "const x = async () => await import('../storage/table.ts');",
    "let x: import('../storage/table.ts').X;",
    "let x: typeof import('../storage/table.ts');",
    'const x = async () => await import(`../storage/table.ts`);',
    "const x = require('../storage/table.ts');",
    "const x = createRequire(import.meta.url)('../storage/table.ts');",
    "const load = createRequire(import.meta.url); const x = load('../storage/table.ts');",
    "let load; load = mod.createRequire(import.meta.url); load('../storage/table.ts');",
    "const { createRequire: make } = mod; const load = make(''), more = load; more('../storage/table.ts');",
  ])('however it is written: %s', (text) => {
    expect(adding({ 'shared/contract/new.ts': text })).toEqual([
      'shared/contract/new.ts imports shared/storage/table.ts: shared/contract/ may import nothing of it',
    ]);
  });

  test('anything, if it is a new folder', () => {
    expect(adding({ 'scripts/new.ts': '', 'shared/new/new.ts': '', 'shared/new.ts': '' })).toEqual([
      'scripts/new.ts is in no room of the table',
      'shared/new/new.ts is in no room of the table',
      'shared/new.ts is in no room of the table',
    ]);
  });

  test('except types permitted by the table, earlier rooms, and names in comments and texts', () => {
    const later = `// import '../sweep/sweep-run.ts'\nconst text = "import x from '../sweep/sweep-run.ts'";`;
    const result = adding({
      'shared/events/new.ts': `import type { X } from '@azure/service-bus'; import { x } from '../batches/ledger.ts'; ${later}`,
      'shared/batches/new.ts': "import type { X } from '../settings.ts'; import { x } from '../cost/meter.ts';",
      'cli/new.ts':
        "import type { X } from '../shared/http/routes.ts'; import { x } from '../shared/contract/names.ts';",
      'shared/pipeline.ts': "import { x } from './sweep/sweep-run.ts'; import { y } from './settings.ts';",
      'functions/new.ts': "import { x } from '../shared/http/routes.ts'; import { y } from '../shared/pipeline.ts';",
      'workloads/new.ts':
        "import pg from 'pg'; await fetch(process.env.X, { signal: AbortSignal.timeout(Date.now()) }); new ServiceBusClient('x');",
      'bench/new.ts': "import { y } from '../shared/contract/names.ts';",
      'tests/new.ts': "import { y } from '../shared/pipeline.ts'; import { x } from '../shared/http/routes.ts';",
    });
    expect(result).toEqual([]);
  });
});

describe('only the files of the table access', () => {
  test.each([
    ['the environment of the process', 'shared/batches/new.ts', 'process.env.HOME', 'process'],
    ['the environment of the process', 'functions/new.ts', 'process.env.HOME', 'process'],
    ['the environment of the process', 'shared/workload/new.ts', 'globalThis.process.env', 'process'],
    ['the environment of the process', 'cli/new.ts', "globalThis['process']", 'process'],
    ['the environment of the process', 'shared/http/new.ts', 'const { env } = process', 'process'],
    ['the environment of the process', 'cli/new.ts', "import { env } from 'node:process'", 'node:process'],
    ['the clock', 'shared/drain/new.ts', 'Date.now()', 'Date.now'],
    ['the clock', 'shared/drain/new.ts', '[1].map(Date.now)', 'Date.now'],
    ['the clock', 'shared/sweep/new.ts', 'new Date()', 'new Date()'],
    ['the clock', 'shared/sweep/new.ts', 'Date()', 'Date()'],
    ['the clock', 'shared/sweep/new.ts', 'const D = Date; new D()', 'Date as a value, new Date()'],
    ['the clock', 'shared/sweep/new.ts', 'const t = [Date]', 'Date as a value'],
    ['the clock', 'shared/sweep/new.ts', 'class D extends Date {}', 'Date as a value'],
    ['the clock', 'shared/telemetry/new.ts', 'performance.now()', 'performance'],
    ['the clock', 'shared/sweep/new.ts', 'const { now } = Date', 'Date.now'],
    ['the clock', 'shared/processing/new.ts', "import perf from 'node:perf_hooks'", 'node:perf_hooks'],
    ['random numbers', 'shared/batches/new.ts', "import { randomUUID as id } from 'node:crypto'", 'randomUUID'],
    ['random numbers', 'shared/batches/new.ts', "import * as c from 'node:crypto'; c.randomBytes(1)", 'c.randomBytes'],
    ['random numbers', 'shared/results/new.ts', 'Math.random()', 'Math.random'],
    ['random numbers', 'shared/results/new.ts', 'const m = Math', 'Math as a value'],
    ['random numbers', 'shared/results/new.ts', 'crypto.randomUUID()', 'crypto.randomUUID, crypto'],
    [
      'random numbers',
      'shared/commands/new.ts',
      "import { createHash } from 'node:crypto'; randomUUID()",
      'randomUUID',
    ],
    ['timers', 'shared/results/new.ts', 'setTimeout(() => 1, 1)', 'setTimeout'],
    ['timers', 'shared/results/new.ts', 'AbortSignal.timeout(1)', 'AbortSignal.timeout'],
    ['timers', 'shared/results/new.ts', 'const { timeout } = AbortSignal', 'AbortSignal.timeout'],
    ['timers', 'shared/events/new.ts', "import timers from 'node:timers/promises'", 'node:timers/promises'],
    ['the network', 'shared/results/new.ts', "await fetch('http://x')", 'fetch'],
    ['the network', 'shared/intake/new.ts', "import { get } from 'node:http'", 'node:http'],
    ['the network', 'web/new.ts', "await fetch('/api')", 'fetch'],
    ['storage by a client of its own', 'shared/storage/new.ts', "new TableClient('u', 'x', y)", 'new TableClient'],
    [
      'Service Bus by a client of its own',
      'shared/events/new.ts',
      "new bus.ServiceBusClient('u')",
      'new bus.ServiceBusClient',
    ],
    [
      'storage by a client of its own',
      'functions/new.ts',
      "BlobServiceClient.fromConnectionString('x')",
      'BlobServiceClient.fromConnectionString',
    ],
    ...[
      ["import { TableClient as T } from '@azure/data-tables'; new T('u', 'x', y)", 'new TableClient'],
      ["const { TableClient: T } = await import('@azure/data-tables'); new T('u')", 'new ….TableClient'],
      ["import * as sdk from '@azure/data-tables'; const T = sdk.TableClient; new T('u')", 'new sdk.TableClient'],
      ["const T = (await import('@azure/data-tables')).TableClient; new T('u')", 'new ….TableClient'],
      ['class Mine extends TableClient {}', 'TableClient as a value'],
    ].map(([text = '', use = '']) => ['storage by a client of its own', 'shared/storage/new.ts', text, use]),
    ...[
      ['cli/new.ts', 'const load = createRequire(import.meta.url); load(name)', 'require(…)'],
      ['cli/new.ts', 'keep(createRequire)', 'createRequire as a value'],
      ['shared/events/new.ts', "Function('return process')()", 'Function'],
      ['shared/events/new.ts', "await import('../' + 'sweep/sweep-run.ts')", 'import(…)'],
      ['tests/new.ts', 'await import(name)', 'import(…)'],
      ['workloads/new.ts', 'require(name)', 'require(…)'],
      ['cli/new.ts', 'createRequire(import.meta.url)(name)', 'require(…)'],
      ['web/new.ts', 'const all = globalThis', 'globalThis as a value'],
    ].map((row) => ['modules whose name is computed, or the global object as a whole', ...row]),
  ])('%s: %s with %s', (effect, file, text, use) => {
    expect(adding({ [file]: text })).toEqual([`${file} uses ${use}: it may not reach ${effect}`]);
  });

  test('a time in the data, a field of that name, or a type accesses nothing', () => {
    const text = `new Date(0).toISOString(); Date.parse('x'); x instanceof Date; x.process; x.fetch(); ({ process: 1 }); let d: Date;
      interface I { process: number; performance(): Date }; type T = typeof process; import type { X } from 'node:crypto';`;
    expect(adding({ 'shared/batches/new.ts': text })).toEqual([]);
  });
});

describe('what an orchestrator loads', () => {
  const ORCHESTRATOR = 'shared/drain/drain-queue.ts';
  const DATA = 'shared/gate/planning/slice-result.ts';

  test.each([
    [ORCHESTRATOR, "Date.parse('x')", 'uses Date'],
    [DATA, 'new Date(0)', 'uses Date'],
    [DATA, 'new Intl.DateTimeFormat().format()', 'uses Intl'],
    [ORCHESTRATOR, "import { createHash } from 'node:crypto'", 'imports package node:crypto'],
    [DATA, "import { z } from 'zod'", 'imports package zod'],
    [DATA, 'let count = 0', 'has the module variable let count'],
    [ORCHESTRATOR, 'export const seen = new Map()', 'has the module variable const seen'],
    [DATA, 'const n = -now()', 'has the module variable const n'],
    [DATA, 'class A { static seen = 0 }', 'has the module variable ClassDeclaration'],
    [ORCHESTRATOR, 'f.count = 1', 'has the module variable ExpressionStatement'],
    [DATA, 'enum E { A }', 'has the module variable TSEnumDeclaration'],
    [DATA, 'namespace N { export let n = 0 }', 'has the module variable TSModuleDeclaration'],
    [DATA, 'export default {}', 'has the module variable ExportDefaultDeclaration'],
    [ORCHESTRATOR, 'if (context.df.isReplaying) x()', 'uses context.df.isReplaying'],
    [ORCHESTRATOR, 'const f = ({ df: { isReplaying } }) => isReplaying', 'uses ….isReplaying'],
    [DATA, "String(x).localeCompare('b')", 'uses ….localeCompare'],
    [DATA, 'x.toLocaleString()', 'uses x.toLocaleString'],
    [DATA, 'const f = (x, name) => x[name]', 'uses x.[…]'],
    [DATA, 'const f = ({ [name]: x }) => x', 'uses ….[…]'],
    ['functions/drain-queue.ts', 'performance.now()', 'uses performance'],
  ])('%s with %s', (file, text, message) => {
    const own = adding({ [file]: text }).filter((line) => !line.includes('drain/ may import'));
    expect(own.filter((line) => line.endsWith('loaded by an orchestrator'))).toEqual([
      `${file} ${message}: it is loaded by an orchestrator`,
    ]);
  });

  test.each([
    ['Math.random()', 'Math.random'],
    ['AbortSignal.timeout(1)', 'AbortSignal.timeout'],
    ['setTimeout(() => 1)', 'setTimeout'],
    ["fetch('x')", 'fetch'],
    ['process.env', 'process'],
  ])('%s, which its room may not access either', (text, use) => {
    expect(adding({ [DATA]: text })).toEqual([
      expect.stringContaining(`${DATA} uses ${use}: it may not reach `),
      `${DATA} uses ${use}: it is loaded by an orchestrator`,
    ]);
  });

  test.each([
    [ORCHESTRATOR, '../gate/policy.ts', 'shared/gate/policy.ts'],
    [DATA, '../../contract/operations.ts', 'shared/contract/operations.ts'],
  ])('a value of another file: %s → %s', (file, target, loaded) => {
    expect(adding({ [file]: `import { x } from '${target}';` })).toEqual([
      `${loaded} is loaded by an orchestrator: it is not in the list of such files`,
    ]);
  });

  test.each([
    "df.app.orchestration('new', function* () {});",
    "import { app as a } from 'durable-functions'; a.orchestration('new', function* () {});",
    "const { app } = df; app['orchestration']('new', function* () {});",
    "const { orchestration: register } = df.app; register('new', function* () {});",
    "(await import('durable-functions')).app.orchestration('new', function* () {});",
  ])('another orchestration: %s', (text) => {
    expect(adding({ 'functions/new.ts': text })).toEqual([
      'functions/new.ts is loaded by an orchestrator: it is not in the list of such files',
    ]);
  });
});

describe('a circle', () => {
  test('of values', () => {
    const circle = { 'shared/batches/a.ts': "import './b.ts';", 'shared/batches/b.ts': "export * from './a.ts';" };
    expect(adding(circle)).toEqual(['circle: shared/batches/a.ts → shared/batches/b.ts → shared/batches/a.ts']);
  });

  test('of types, through several files, also in tests', () => {
    const circle = {
      'tests/a.ts': "import type { B } from './x/b.ts';",
      'tests/x/b.ts': "import type { C } from '../c.ts'; import '../d.ts';",
      'tests/c.ts': "let a: import('./a.ts').A;",
      'tests/d.ts': '',
    };
    expect(adding(circle)).toEqual(['circle: tests/a.ts → tests/x/b.ts → tests/c.ts → tests/a.ts']);
  });

  test('of a file with itself', () => {
    expect(adding({ 'web/a.tsx': "import { a } from './a.tsx';" })).toEqual(['circle: web/a.tsx → web/a.tsx']);
  });

  test('each of two is reported', () => {
    const circles = {
      ...{ 'cli/a.ts': "import './b.ts';", 'cli/b.ts': "import './a.ts';" },
      ...{ 'demo/a.ts': "import './b.ts'; import '../cli/text/a.ts';", 'demo/b.ts': "import './a.ts';" },
    };
    expect(adding(circles)).toEqual([
      'circle: cli/a.ts → cli/b.ts → cli/a.ts',
      'circle: demo/a.ts → demo/b.ts → demo/a.ts',
    ]);
  });

  test('of two folders of the app whose files are in no circle', () => {
    const files = {
      ...{ 'shared/batches/a/one.ts': "import '../b/one.ts';", 'shared/batches/b/one.ts': '' },
      ...{ 'shared/batches/a/two.ts': '', 'shared/batches/b/two.ts': "import type { X } from '../a/two.ts';" },
    };
    expect(adding(files)).toEqual(['circle in shared/batches/: a → b → a']);
  });

  test('of a folder and a file beside it', () => {
    const files = {
      ...{ 'shared/events/x.ts': "import './x/one.ts';", 'shared/events/x/one.ts': '' },
      'shared/events/x/two.ts': "import '../x.ts';",
    };
    expect(adding(files)).toEqual(['circle in shared/events/: x.ts → x → x.ts']);
  });

  test('a folder may import files of its own folders and of the folders around it, in one direction', () => {
    const files = {
      'shared/queues/x/one.ts': "import './y/two.ts'; import '../../gate/gate-row.ts';",
      'shared/queues/x/y/two.ts': "import '../../../gate/gate-store.ts';",
    };
    expect(adding(files)).toEqual([]);
  });
});
