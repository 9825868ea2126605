import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../../helpers/cli.ts';
import { type Command, copyRepository, runCommand } from '../../helpers/repository-copy.ts';

/** A copy, so that sources and build can change while other tests use those of the repository. */
let folder: string;
let file: string;
let source: string;
let command: Command;
beforeAll(async () => {
  folder = await copyRepository('test-loop');
  const item = { id: 'tx-1', account: 'acct-1', product: 'support-seat', quantity: '1', unitPrice: '2.50' };
  const line = JSON.stringify({ ...item, currency: 'EUR', time: '2025-03-01T00:00:00Z' });
  await writeFile(join(folder, 'one.ndjson'), `${line}\n`);
  // The compiler runs after each edit: the types of the edited file are enough.
  const types = { extends: '../../tsconfig.json', include: ['../../workloads/billing.ts'] };
  await writeFile(join(folder, 'local/dev/tsconfig.json'), JSON.stringify(types));
  file = join(folder, 'workloads/billing.ts');
  source = await readFile(file, 'utf8');
});
afterAll(async () => {
  await command?.interrupt();
  // What the stack writes while it ends may be there for a moment.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});

/** Address and key, as they were passed to other programs. */
let access: string | undefined;
const accessIn = (output: string): string => /SLUICE_URL=\S+ SLUICE_KEY=\S+/.exec(output)?.[0] ?? '';

/** The process of the instance, found by its parent. */
async function instanceOf(parent: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
  const line = stdout
    .split('\n')
    .find((each) => /host[\\/]main\.[jt]s/.test(each) && Number(each.trim().split(/\s+/)[1]) === parent);
  return Number(line?.trim().split(/\s+/)[0]);
}

it('npm start processes a file of the user only once, as sluice submit does', async () => {
  command = runCommand(folder, ['dist/demo/main.js', 'one.ndjson']);
  const [, id = ''] = /Accepted as batch (\S+),/.exec(await command.until('Running. Press Ctrl-C to stop.')) ?? [];
  await command.interrupt();
  const repeated = new RegExp(
    `Already accepted at .* as batch ${id}: completed. .* --again submits it as a new batch.`,
  );

  command = runCommand(folder, ['dist/demo/main.js', 'one.ndjson', '--keep']);
  expect(await command.until('Running. Press Ctrl-C to stop.')).toMatch(repeated);
  const [, SLUICE_URL = '', SLUICE_KEY = ''] = /SLUICE_URL=(\S+) SLUICE_KEY=(\S+)/.exec(command.output()) ?? [];
  const env = { SLUICE_URL, SLUICE_KEY };
  const submitted = await runCli(['submit', 'one.ndjson', '--workload', 'billing'], { env, folder });
  expect(submitted.out).toMatch(repeated);
  expect(await command.interrupt()).toBe(0);
});

it('npm start runs a copy of the build, and restarts an instance that is killed with the same code', async () => {
  command = runCommand(folder, ['dist/demo/main.js', 'one.ndjson']);
  await command.until('Running. Press Ctrl-C to stop.');
  access = accessIn(command.output());
  const [, url = '', key = ''] = /SLUICE_URL=(\S+) SLUICE_KEY=(\S+)/.exec(access) ?? [];
  await rm(join(folder, 'dist'), { recursive: true });
  process.kill(await instanceOf(command.pid), 'SIGKILL');
  await command.until('was terminated by SIGKILL');
  await command.until('host-1 will be restarted in 1 s');
  await command.until('host-1 is running again');
  const answer = await fetch(`${url}/api/queues`, { headers: { 'x-functions-key': key } });
  expect(answer.status).toBe(200);
  expect(await command.interrupt()).toBe(0);
});

it('npm run dev turns each edit into a new result, and an error of types into a message', async () => {
  command = runCommand(folder, ['--conditions=source', 'demo/dev.ts', 'one.ndjson', '--keep']);
  await command.until('Keys:');
  expect(accessIn(command.output())).toBe(access);
  expect(await command.until('Done in')).toContain('acct-1|EUR      1  2.50  0.48   2.98');

  command.send('a');
  await command.until('Runs the file after each edit.');
  await writeFile(file, source.replace('key: ', "key: () => 'everybody|EUR', keyBefore: "));
  await command.until('Edited: workloads/billing.ts');
  await command.until('Reloaded in');
  expect(await command.until('Done in')).toContain('everybody|EUR      1  2.50  0.48   2.98');
  expect(await command.until('keyBefore')).toContain('Types: these errors do not stop the run.');
});

it('npm run dev continues with the previous code after an edit that does not start, until that is fixed', async () => {
  await writeFile(file, `${source}\nthrow new Error('not yet');\n`);
  await command.until('The app does not start; the previous code continues to run until the error is fixed:');
  const lineNumber = source.split('\n').length + 1;
  await command.until(`at workloads/billing.ts:${lineNumber}:7`);
  command.send('r');
  expect(await command.until('Done in')).toContain('everybody');

  await writeFile(file, source);
  await command.until('Reloaded in');
  expect(await command.until('Done in')).toContain('acct-1|EUR');
  command.send('q');
  await command.until('Stopping');
});
