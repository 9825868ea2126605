import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StartError } from '../../../src/cli/errors.ts';
import type { StartOptions } from '../../../src/cli/program.ts';
import { startApp } from '../../../src/cli/start-app.ts';
import { runCli } from '../../helpers/cli-process.ts';

// Inside the repository, so that the apps find its @azure/functions.
const PARENT = fileURLToPath(new URL('.', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(PARENT, 'app-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const SILENT = { print: () => {}, warn: () => {}, error: () => {}, relay: () => {} };
const APP = {
  'package.json': '{"main":"app.js"}',
  'host.json': '{"version":"2.0","extensionBundle":{"id":"b","version":"[4.*, 5.0.0)"}}',
};
const register = (code: string): string => `const { app, input } = require('@azure/functions');\n${code}`;
const HTTP = register("app.http('hello', { handler: () => ({ body: 'hello' }) });");

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, '..'), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Returns the problems with which a start is refused. */
async function problemsOf(files: Record<string, string>, options: StartOptions = {}): Promise<readonly string[]> {
  await write(files);
  try {
    await startApp(folder, { port: 0, data: join(folder, 'data'), ...options }, SILENT);
  } catch (error: unknown) {
    if (error instanceof StartError) return error.problems;
    throw error;
  }
  throw new Error('Expected the start to be refused.');
}

describe('a mistake in the files of an app', () => {
  it.each<[string, Record<string, string>, string]>([
    ['no host.json', {}, 'expected a Functions app with a host.json, found no host.json'],
    [
      'bad JSON in host.json',
      { ...APP, 'host.json': '{\n  "version": "2.0",\n}' },
      'host.json: not valid JSON: unexpected "}" at line 3, column 1.',
    ],
    [
      'bad JSON in local.settings.json',
      { ...APP, 'local.settings.json': '{ "IsEncrypted": false' },
      'local.settings.json: not valid JSON: the file ends too early at line 1, column 23.',
    ],
    ['no package.json', { 'host.json': APP['host.json'] }, 'package.json: file not found in the app folder.'],
    ['files that are not built', APP, 'Build the app first, or correct "main" of package.json.'],
    [
      'no function',
      { ...APP, 'app.js': '' },
      'no functions found; expected "main" of package.json to specify the files',
    ],
    ['a module that is missing', { ...APP, 'app.js': "\nrequire('nowhere');" }, "Cannot find module 'nowhere' ("],
    ['an app that throws', { ...APP, 'app.js': "\nthrow new Error('no luck');" }, 'app.js": no luck ('],
    [
      'an app that ends its process',
      { ...APP, 'app.js': 'process.exit(3)' },
      "the app's process ended while its files were loaded (code 3).",
    ],
    [
      'the v3 model',
      { ...APP, 'app.js': '', 'hello/function.json': '{}' },
      'hello/function.json: expected the Node v4 model',
    ],
    [
      "a hub's name that Azure refuses, from a setting",
      {
        ...APP,
        'host.json':
          '{"version":"2.0","extensions":{"durableTask":{"hubName":"%HUB%"}},"extensionBundle":{"id":"b","version":"[4.*, 5.0.0)"}}',
        'local.settings.json': '{"IsEncrypted":false,"Values":{"HUB":"1"}}',
        'app.js': "require('durable-functions').app.activity('pay', { handler() {} });",
      },
      'host.json, extensions.durableTask: hubName: expected 3 to 45 letters and digits that start with a letter, got "1"',
    ],
    [
      'another language',
      { ...APP, 'local.settings.json': '{"IsEncrypted":false,"Values":{"FUNCTIONS_WORKER_RUNTIME":"python"}}' },
      'FUNCTIONS_WORKER_RUNTIME: expected node, got python; use `func start` of Azure Functions Core Tools',
    ],
  ])('%s', async (_, files, expected) => {
    const problems = await problemsOf(files);
    expect(problems).toEqual([expect.stringContaining(expected)]);
    expect(problems[0]).not.toContain('\n');
  });
});

describe('functions that cannot run', () => {
  it('are reported with what is missing or what to use instead, one line each', async () => {
    const code = `
      app.storageBlob('blob', { path: 'in/{name}', connection: 'AzureWebJobsStorage', handler() {} });
      app.timer('late', { schedule: '%WHEN%', handler() {} });
      app.timer('never', { schedule: 'now and then', handler() {} });
      app.serviceBusQueue('queue', { queueName: 'orders', connection: 'Orders', handler() {} });
      app.http('table', { extraInputs: [input.table({ tableName: 't', connection: 'c' })], handler() {} });`;
    const problems = await problemsOf({ ...APP, 'app.js': register(code) });
    const toCoreTools = 'use `func start` of Azure Functions Core Tools (https://learn.microsoft.com/';
    expect(problems).toHaveLength(5);
    expect(problems[0]).toMatch(
      /^function 'blob': the binding type 'blobTrigger' is not supported by functions-local; /,
    );
    expect(problems[0]).toContain(toCoreTools);
    expect(problems[1]).toMatch(/^function 'late': '%WHEN%' does not resolve to a value: set 'WHEN' in /);
    expect(problems[2]).toMatch(/^function 'never': The schedule expression 'now and then' was not recognized /);
    expect(problems[3]).toMatch(
      /^function 'queue': connection 'Orders': no setting 'Orders' .*'UseDevelopmentEmulator=true'/,
    );
    expect(problems[4]).toMatch(/^function 'table': the binding type 'table \(input\)' is not supported/);
    expect(problems.join('')).not.toContain('\n');
  });

  it('are not a problem if --functions excludes them; its names must exist', async () => {
    const code = `${HTTP}
      app.storageBlob('blob', { path: 'in', connection: 'c', handler() {} });
      app.hook.appStart(() => require('node:fs').appendFileSync(__dirname + '/starts', 'x'));`;
    expect(await problemsOf({ ...APP, 'app.js': code })).toEqual([
      expect.stringMatching(/^function 'blob': /),
      'the other functions start with --functions hello',
    ]);
    expect(await problemsOf({ ...APP, 'app.js': code }, { functions: ['hello', 'hullo'] })).toEqual([
      '--functions: expected names of hello, blob; got hullo',
    ]);
    const lines: string[] = [];
    const data = join(folder, 'data');
    const app = await startApp(
      folder,
      { port: 0, data, functions: ['HELLO'] },
      { ...SILENT, print: (line) => void lines.push(line) },
    );
    await app.stop();
    // An app without development connections has neither storage nor a broker.
    expect(await readFile(join(folder, 'starts'), 'utf8')).toBe('x');
    expect(lines).toContain(`State and logs: ${data}`);
    expect(lines.join()).not.toMatch(/Azurite|Storage|Service Bus/);
  });
});

describe('a port', () => {
  let other: Server;
  beforeEach(async () => {
    other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => other.close(resolve)));

  it('that is in use stops the command with 1 and one line', async () => {
    await write({ ...APP, 'app.js': HTTP });
    const { port } = other.address() as AddressInfo;
    const cli = runCli(['start', folder, '--port', String(port)]);
    expect(await cli.exited).toBe(1);
    expect(cli.stderr()).toBe(
      `error: port ${port} of 127.0.0.1 is in use or not allowed; set another one with --port, or use --port 0 for any free one\n`,
    );
    expect(cli.stdout()).toBe('');
  });
});

describe('entities', () => {
  const SETTINGS = JSON.stringify({ IsEncrypted: false, Values: { Bus: 'UseDevelopmentEmulator=true' } });
  const files = {
    ...APP,
    'local.settings.json': SETTINGS,
    'app.js': register("app.serviceBusQueue('receive', { queueName: 'orders', connection: 'Bus', handler() {} });"),
  };

  it.each([
    [
      '{"UserConfig":{"Namespaces":[{"Name":"n","Queues":[{"Name":"others"}]}]}}',
      "function 'receive': queue 'orders' does not exist",
    ],
    ['{"UserConfig":{"Namespaces":[{"Name":"n","Queues":[{"Nome":"orders"}]}]}}', 'UserConfig.Namespaces[0].Queues[0]'],
    ['{"UserConfig":', 'not valid JSON: the file ends too early at line 1, column 15.'],
  ])('of an invalid file: %s', async (text, expected) => {
    const entities = join(folder, 'entities.json');
    const problems = await problemsOf({ ...files, 'entities.json': text }, { entities });
    expect(problems).toEqual([expect.stringContaining(expected)]);
    expect(problems[0]?.startsWith(entities)).toBe(true);
  });

  it('without a setting that selects the embedded Service Bus', async () => {
    const entities = join(folder, 'entities.json');
    const problems = await problemsOf({ ...APP, 'app.js': HTTP, 'entities.json': '{}' }, { entities });
    expect(problems).toEqual([
      expect.stringMatching(/^--entities: expected a setting with "UseDevelopmentEmulator=true"/),
    ]);
  });
});

describe('a folder', () => {
  it('that does not exist is not an app', async () => {
    const gone = join(folder, 'gone');
    await expect(startApp(gone, {}, SILENT)).rejects.toThrow(`${gone}: expected the folder of a Functions app`);
  });

  it('for state that cannot be created stops the start', async () => {
    const problems = await problemsOf({ ...APP, 'app.js': HTTP }, { data: join(folder, 'host.json') });
    expect(problems).toEqual([expect.stringMatching(/^--data: the folder '.*host\.json' cannot be created: EEXIST/)]);
  });
});

describe('a command line', () => {
  it('with an error ends with 2 and one line', async () => {
    const cli = runCli(['start', '--prot', '1']);
    expect(await cli.exited).toBe(2);
    expect(cli.stderr()).toBe("error: unknown option '--prot' (Did you mean --port?)\n");
  });
});
