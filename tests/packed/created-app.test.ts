/** An app that create-sluice makes outside the checkout, on the packed packages: what a user has, and nothing else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expandTemplate, readParameterFile } from 'bicep-check';
import { freePort } from 'functions-local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../../packages/functions-local/tests/helpers/cli-process.ts';
import { install, npm, run } from './install.ts';
import { packReleased, ROOT } from './pack-released.ts';

const ORDERS_APP = join(ROOT, 'packages/functions-local/tests/integration/cli/fixtures/orders-app');
/** The Node.js that the scripts of this repository run with. */
const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`;

let folder: string;
let app: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-packed-'));
  app = join(folder, 'my-batches');
  await packReleased(folder);
  const create = join(ROOT, 'packages/create-sluice');
  await run('node', [create, '--packages', 'out', '--no-install', 'my-batches'], { cwd: folder });
  await install(app);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const sluice = (...args: string[]): Promise<{ stdout: string }> =>
  run(join(app, 'node_modules/.bin/sluice'), args, { cwd: app, env: { ...process.env, PATH } });

/** A running `sluice start`. */
interface Started {
  child: ChildProcess;
  output: () => string;
  /** Resolves with the first match of what it prints. */
  printed: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Sends Ctrl-C, and resolves with the exit code. */
  stop: () => Promise<number | null>;
}

async function start(...args: string[]): Promise<Started> {
  const child = spawn(join(app, 'node_modules/.bin/sluice'), ['start', '--port', String(await freePort()), ...args], {
    cwd: app,
    // Nothing listens there: it shows that the installed package loads its exporters.
    env: { ...process.env, PATH, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return {
    child,
    output: () => text,
    printed: (pattern) =>
      expect
        .poll(() => pattern.exec(text) ?? (child.exitCode === null ? undefined : `ended: ${text}`), {
          timeout: 100_000,
        })
        .not.toBeUndefined()
        .then(() => {
          const found = pattern.exec(text);
          if (found === null) throw new Error(`Expected ${pattern}, got: ${text}`);
          return found;
        }),
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** The space that the files of a package take, without those of packages inside of it. */
async function bytesOnDisk(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const own = entries.filter(
    (entry) => entry.isFile() && !entry.parentPath.slice(folder.length).includes('node_modules'),
  );
  const stats = await Promise.all(own.map(({ parentPath, name }) => stat(join(parentPath, name))));
  return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

/** The totals of the sample, computed without the workload. */
async function expectedRows(): Promise<string[]> {
  const [, ...lines] = (await readFile(join(app, 'samples/billing.csv'), 'utf8')).trim().split('\n');
  const totals = new Map<string, [lines: number, cents: number]>();
  for (const [, account = '', quantity, unitCents] of lines.map((line) => line.split(','))) {
    if (account === '' || Number(quantity) < 0) continue;
    const [count, cents] = totals.get(account) ?? [0, 0];
    totals.set(account, [count + 1, cents + Number(quantity) * Number(unitCents)]);
  }
  return [...totals].map(([account, [count, cents]]) => `${account} ${count} ${cents}`).sort();
}

/** The rows of the report as `sluice start` prints them. */
const printedRows = (output: string): string[] =>
  (/Report: \d+ rows\n.*\n((?: {2}.*\n)+)/.exec(output)?.[1] ?? '')
    .trim()
    .split('\n')
    .map((row) => row.trim().replaceAll(/ +/g, ' '))
    .sort();

describe('a created app', () => {
  it('has the files that its README describes, and few of them', async () => {
    const files = (await readdir(app, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(app.length + 1))
      .filter((path) => !/^(node_modules|packages)\//.test(path) && path !== 'package-lock.json');
    const texts = await Promise.all(files.map((file) => readFile(join(app, file), 'utf8')));
    const lines = texts.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    expect(readme).toContain(`${files.length} files with ${lines} lines`);
  });

  it('takes at most 120 MB in production', async () => {
    const { stdout } = await npm(app, 'ls', '--omit=dev', '--all', '--parseable');
    const folders = stdout.split('\n').filter((path) => path.includes('/node_modules/'));
    expect(folders.length).toBeGreaterThan(100);
    const bytes = await Promise.all(folders.map(bytesOnDisk));
    expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(120e6);
  });

  it('passes its type check and its tests', async () => {
    await npm(app, 'run', 'check');
    expect((await npm(app, 'test')).stdout).toMatch(/Tests.* 1 passed/);
  });

  it('runs its main job to an exact report, with a function and a setting of its own beside it', async () => {
    await writeFile(
      join(app, 'functions/own.ts'),
      `import { app } from '@azure/functions';
import { sluice } from './sluice.ts';
app.http('own', {
  handler: async () => {
    const items = [{ id: 'x', account: String(process.env.OWN_ACCOUNT), quantity: 2, unitCents: 21 }];
    return { jsonBody: await sluice.submit({ workload: 'billing', key: 'due-2026-11-01', items }) };
  },
});\n`,
    );
    await writeFile(
      join(app, 'local.settings.json'),
      JSON.stringify({ IsEncrypted: false, Values: { OWN_ACCOUNT: 'own' } }),
    );
    const stack = await start();
    try {
      await stack.printed(/Press Ctrl-C to stop/);
      expect(printedRows(stack.output())).toEqual(await expectedRows());
      const [, url = '', key = ''] = await stack.printed(/SLUICE_URL=(\S+) SLUICE_KEY=(\S+)/);
      const call = async (path: string): Promise<Response> =>
        fetch(`${url}/api/${path}`, { headers: { 'x-functions-key': key } });
      const [first, second] = [await (await call('own')).json(), await (await call('own')).json()] as { id: string }[];
      expect(second).toEqual(first);
      expect(first).toMatchObject({ items: 1 });
      const report = async (): Promise<string> => (await call(`batches/${first?.id}/report?format=ndjson`)).text();
      await expect.poll(report, { timeout: 60_000 }).toContain('{"key":"own","value":{"lines":1,"cents":42}}');
      expect((await call('dashboard')).status).toBe(200);
    } finally {
      await stack.stop();
    }
  });

  it('makes a workload from a sample, whose test passes', async () => {
    await writeFile(join(folder, 'refunds.csv'), 'id,amount,currency\nr1,1.50,EUR\nr2,2.75,USD\nr3,0.25,EUR\n');
    await sluice('new-workload', 'refunds', '--from', join(folder, 'refunds.csv'));
    expect(await readFile(join(app, 'workloads/index.ts'), 'utf8')).toContain('createRegistry([billing, refunds])');
    await npm(app, 'run', 'check');
    expect((await npm(app, 'test')).stdout).toMatch(/Tests.* 2 passed/);
    const tried = await sluice('try', join(folder, 'refunds.csv'), '--workload', 'refunds', '--run', '--yes', '--json');
    expect(JSON.parse(tried.stdout)).toMatchObject({ items: 3, valid: 3, invalid: 0 });
  });

  it('makes a package in which every module is once', async () => {
    expect((await npm(app, 'run', 'package')).stdout).toMatch(/out\/sluice\.zip +[\d,]+ KiB/);
    const scripts = join(app, 'out/package/dist');
    const names = (await readdir(scripts, { recursive: true })).filter((name) => name.endsWith('.js'));
    const texts = await Promise.all(names.map((name) => readFile(join(scripts, name), 'utf8')));
    // The bundler writes the path of each module before its code, also several times.
    const modules = texts.flatMap((text) => [
      ...new Set([...text.matchAll(/^\/\/ (\S+\.[jt]s)$/gm)].map(([, path = '']) => path)),
    ]);
    const ours = modules.filter((path) => !/node_modules\/(?!sluice\/)/.test(path));
    expect(ours).toContain('workloads/billing.ts');
    expect(ours).toContain('node_modules/sluice/dist/shared/pipeline.js');
    expect(ours.filter((path, at) => ours.indexOf(path) !== at)).toEqual([]);
    expect(ours.filter((path) => !/^(node_modules\/sluice\/dist|workloads|functions)\//.test(path))).toEqual([]);
  });

  it('has a template that deploys an app per pool, and agrees with its package', async () => {
    await sluice('azure', 'generate');
    const { template, parameters } = readParameterFile('infra/main.bicepparam', { root: app });
    const { resources } = expandTemplate(template, parameters, { root: app });
    expect(resources.filter(({ type }) => type === 'Microsoft.Web/sites').length).toBe(1);
    expect((await sluice('doctor')).stdout).toContain('No differences');
  });

  it('finishes its work exactly after an upgrade of the package', async () => {
    await writeFile(
      join(app, 'workloads/slow.ts'),
      `import { setTimeout } from 'node:timers/promises';
import { defineWorkload } from 'sluice';
import { z } from 'zod';
export default defineWorkload({
  name: 'slow', version: 1, item: z.object({ n: z.number() }), concurrency: 1, chunk: { maxItems: 20 },
  map: async ({ n }) => { await setTimeout(25); return n; },
  reduce: { key: () => 'all', init: () => ({ count: 0, sum: 0 }), add: (all, n) => ({ count: all.count + 1, sum: all.sum + n }),
    merge: (a, b) => ({ count: a.count + b.count, sum: a.sum + b.sum }) },
});\n`,
    );
    const index = join(app, 'workloads/index.ts');
    const text = await readFile(index, 'utf8');
    await writeFile(index, `import slow from './slow.ts';\n${text.replace('refunds]', 'refunds, slow]')}`);
    const items = Array.from({ length: 400 }, (_, n) => n);
    await writeFile(join(folder, 'slow.ndjson'), items.map((n) => `{"n":${n}}\n`).join(''));
    const before = await start(join(folder, 'slow.ndjson'), '--workload', 'slow');
    const [, batch = ''] = await before.printed(/Accepted as batch (\S+),/);
    await before.printed(/ [1-9]\d* of 400 items/);
    await before.stop();
    expect(before.output()).not.toContain('State: completed');

    await install(await withNextVersion());
    expect((await sluice('--version')).stdout.trim()).toBe('99.0.0');
    const after = await start('--keep');
    try {
      const [, url = '', key = ''] = await after.printed(/SLUICE_URL=(\S+) SLUICE_KEY=(\S+)/);
      const headers = { 'x-functions-key': key };
      const report = async (): Promise<string> =>
        (await fetch(`${url}/api/batches/${batch}/report?format=ndjson`, { headers })).text();
      const sum = items.reduce((all, n) => all + n, 0);
      await expect.poll(report, { timeout: 100_000 }).toBe(`{"key":"all","value":{"count":400,"sum":${sum}}}\n`);
    } finally {
      await after.stop();
    }
  });
});

/**
 * Replaces the tarball of `sluice` by one of a later version with the same code, and returns the folder of the app. Adds
 * sluice-convert, which the last tests use, because each installation takes a quarter of a minute.
 */
async function withNextVersion(): Promise<string> {
  const packages = join(app, 'packages');
  const name = (await readdir(packages)).find((file) => /^sluice-\d/.test(file)) ?? '';
  await run('tar', ['xzf', join(packages, name), '-C', folder]);
  const about = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
  const { scripts: _none, ...rest } = about;
  await writeFile(join(folder, 'package/package.json'), JSON.stringify({ ...rest, version: '99.0.0' }));
  await run('tar', ['czf', join(packages, 'sluice-99.0.0.tgz'), '-C', folder, 'package']);
  const file = join(app, 'package.json');
  const own = JSON.parse((await readFile(file, 'utf8')).replace(name, 'sluice-99.0.0.tgz'));
  own.dependencies['sluice-convert'] = `file:packages/${await tarball('sluice-convert')}`;
  await writeFile(file, JSON.stringify(own, null, 2));
  return app;
}

describe('the packages beside it', () => {
  it('convert a file', async () => {
    const text =
      'import("sluice-convert").then(({ parquetToNdjson: convert }) => convert({ path: "none", name: "none" }).next())';
    await expect(run(process.execPath, ['-e', text], { cwd: app })).rejects.toMatchObject({
      stderr: expect.stringContaining('ConversionError: none cannot be read as a Parquet file'),
    });
  });

  it('run any app on the local host', async () => {
    const bin = join(app, 'node_modules/functions-local/bin/functions-local.js');
    const orders = join(app, 'orders');
    await run('cp', ['-r', ORDERS_APP, orders]);
    const cli = runCli(['start', orders, '--port', '0', '--data', join(app, '.data')], {}, bin);
    try {
      const [, url] = await cli.waitFor(/^Host started on (http:\S+)$/m);
      const answer = await fetch(`${url}/api/orders`, {
        method: 'POST',
        body: JSON.stringify({ id: '1', amounts: [1] }),
      });
      expect(answer.status).toBe(202);
    } finally {
      expect(await cli.stop()).toBe(0);
    }
  });

  it('say that nothing answers, without an app', async () => {
    const refused = sluice('health', '--url', `http://127.0.0.1:${await freePort()}`);
    await expect(refused).rejects.toMatchObject({ stderr: expect.stringContaining('Nothing answers at 127.0.0.1') });
  });
});

const tarball = async (name: string): Promise<string> =>
  (await readdir(join(app, 'packages'))).find((file) => file.startsWith(`${name}-`)) ?? '';
