import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { processIo } from '../../../cli/process/io.ts';
import { runSluice } from '../../../cli/run.ts';
import { createSession } from '../../../cli/session.ts';
import { type TryOptions, tryFile } from '../../../cli/try/try-file.ts';
import type { Registry } from '../../../shared/workload/registry.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SAMPLES = ['sales.csv', 'orders.ndjson', 'refunds.json.gz'];
const NAMES = ['invoice-checks', ...SAMPLES.map((file) => file.replace(/\..*/, ''))];
const RECORDS = 60;
let folder: string;

/** The amounts of the samples, whose sums per currency the reports must contain. */
const AMOUNTS = Array.from({ length: RECORDS }, (_, n) => (n * 0.25).toFixed(2));
const totalOf = (currency: string): number =>
  AMOUNTS.reduce((sum, amount, n) => (currencyOf(n) === currency ? sum + Number(amount) : sum), 0);
const currencyOf = (n: number): string => (n % 3 === 0 ? 'USD' : 'EUR');

/** CSV as a German spreadsheet program writes it. */
const sales = (): string =>
  [
    'Order No;Kunde;PLZ;currency;amount;paid;day;note\r\n',
    ...AMOUNTS.map(
      (amount, n) =>
        `${n};"c ""${n % 7}""";0${1_000 + n};${currencyOf(n)};${amount.replace('.', ',')};${n % 2 === 0};2026-01-0${1 + (n % 9)};${n % 4 ? '' : 'x'}\r\n`,
    ),
  ].join('');

const orders = () =>
  AMOUNTS.map((amount, n) => ({
    id: `order-${n}`,
    currency: currencyOf(n),
    amount: Number(amount),
    customer: { name: `c${n}`, 'post code': '01234' },
    lines: [{ sku: 'a', qty: n }],
    at: '2026-01-01T10:00:00+01:00',
    ...(n % 2 ? { class: null } : { class: 'x' }),
  }));

/** Creates a checkout that shares everything except its workloads with this one, inside of it so that packages are found. */
beforeAll(async () => {
  await mkdir(join(ROOT, '.sluice'), { recursive: true });
  folder = await mkdtemp(join(ROOT, '.sluice/new-workload-'));

  await cp(join(ROOT, 'workloads'), join(folder, 'workloads'), { recursive: true });
  await cp(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
  await cp(join(ROOT, 'host.json'), join(folder, 'host.json'));
  await symlink(join(ROOT, 'shared'), join(folder, 'shared'));
  await mkdir(join(folder, 'tests/unit/workloads'), { recursive: true });
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', include: ['workloads/index.ts', 'tests/unit'] }),
  );
  await writeFile(join(folder, 'sales.csv'), sales());
  await writeFile(
    join(folder, 'orders.ndjson'),
    orders()
      .map((order) => `${JSON.stringify(order)}\n`)
      .join(''),
  );
  await writeFile(join(folder, 'refunds.json.gz'), gzipSync(JSON.stringify(orders())));
  expect(await create('invoice-checks')).toEqual([0, '']);
  expect(await create('sales', '--from', 'sales.csv')).toEqual([0, '']);
  expect(await create('orders', '--from', 'orders.ndjson')).toEqual([0, '']);
  expect(await create('refunds', '--from', 'refunds.json.gz')).toEqual([0, '']);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function create(...args: string[]): Promise<[code: number, err: string]> {
  const [stdout, stderr] = [collector(), collector()];
  const io = { ...processIo(folder), stdin: Readable.from([]), stdout, stderr };
  const code = await runSluice(['new-workload', ...args], io);
  return [code, stderr.text];
}

const collector = () => {
  const stream = Object.assign(
    new Writable({
      write: (piece, _encoding, done) => {
        stream.text += String(piece);
        done();
      },
    }),
    { text: '' },
  );
  return stream;
};

const { PATH, NODE_COMPILE_CACHE } = process.env;
const run = (command: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  promisify(execFile)(join(ROOT, 'node_modules/.bin', command), args, {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE },
  });

it('creates workloads that pass their own tests', async () => {
  const { stdout } = await run('vitest', 'run', '--root', folder);
  expect(stdout).toMatch(new RegExp(`Tests .*${NAMES.length} passed`));
});

it('creates workloads that pass the lint and type checks of the project', async () => {
  const files = NAMES.flatMap((name) => [`workloads/${name}.ts`, `tests/unit/workloads/${name}.test.ts`]);
  const [lint] = await Promise.all([
    run('biome', 'check', '--error-on-warnings', '--vcs-enabled=false', `--config-path=${folder}`, ...files),
    run('tsc', '-p', folder),
  ]);
  expect(lint.stdout + lint.stderr).toContain(`Checked ${files.length} files`);
});

describe('a workload from a sample', () => {
  it.each(SAMPLES)('runs on %s without changes, and creates the expected report', async (file) => {
    const name = file.replace(/\..*/, '');
    const stdout = collector();
    const session = createSession({ ...processIo(), env: {}, folder, stdout, stderr: collector() }, { json: true });
    const { registry } = (await import(pathToFileURL(join(folder, 'workloads/index.ts')).href)) as {
      registry: Registry;
    };
    const options: TryOptions = {
      workload: name,
      items: 1_000,
      run: true,
      yes: true,
      ...(name === 'sales' && { decimal: ',' }),
    };
    const code = await tryFile(session, file, options, async () => registry);
    const tried = JSON.parse(stdout.text);
    expect(tried).toMatchObject({ items: RECORDS, whole: true, invalid: 0, causes: [], run: { deadLetters: [] } });
    expect(tried.run.results).toHaveLength(RECORDS);
    expect(tried.run.report).toMatchObject({ EUR: { amount: totalOf('EUR') }, USD: { amount: totalOf('USD') } });
    expect(code).toBe(0);
  });
});
