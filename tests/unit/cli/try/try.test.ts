import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UploadCheck } from '../../../../shared/intake/check/check-upload.ts';
import { writeAppFolder } from '../../../helpers/app-folder.ts';
import { csv, ndjson, transactions } from '../../../helpers/data/transactions.ts';
import { type Ran, run } from '../world.ts';

let folder: string;
const LARGE = 30_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-try-'));
  const good = transactions(50);
  const files = {
    'good.ndjson': ndjson(good),
    'some.ndjson': ndjson(good.map((item, n) => (n % 10 === 7 ? { ...item, currency: 'XXX' } : item))),
    'none.csv': csv(good).replace('account', 'Konto'),
    'broken.ndjson': `${ndjson(good.slice(0, 3))}{"id":\n`,
    'sales.ndjson': '{"image":1}\n{"source":"a.png"}\n'.repeat(2).replace('{"image":1}\n', ''),
    'empty.ndjson': '',
  };
  writeAppFolder(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  await writeFile(join(folder, 'large.ndjson.gz'), gzipSync(ndjson(transactions(LARGE))));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const tryIt = (args: string, options: Parameters<typeof run>[2] & { answers?: Parameters<typeof run>[1] } = {}) =>
  run(`try ${args}`, options.answers, { folder, env: { SLUICE_URL: '' }, ...options });
const checkIn = ({ out }: Ran): UploadCheck => JSON.parse(out);

describe('sluice try', () => {
  it('exits with 0 if all items are valid, and sends no request', async () => {
    const { code, out, asked } = await tryIt('good.ndjson --workload billing');
    expect([code, asked]).toEqual([0, []]);
    expect(out).toContain('good.ndjson for workload billing: NDJSON, not compressed\n');
    expect(out).toContain('Items: all 50 read, 50 valid, 0 invalid\n');
    expect(out).toMatch(/The first valid item, as the handler receives it:\n {2}\{\n {4}id: 't0'/);
    expect(out).toContain('Whole file: 50 items in 1 chunk, lane normal\n');
    expect(out).toMatch(
      /Computed: \d+ storage operations, 0\.000\d+\* USD per batch by the price sheet 2026, with the secondsPerChunk of the workload\n\* uses prices without a verified source: .*queue\.class1/,
    );
    expect(out).toContain('To submit it: sluice submit good.ndjson --workload billing\n');
  });

  it('exits with 5 if some are invalid, and shows an example of each cause with its place', async () => {
    const { code, out } = await tryIt('some.ndjson --workload billing');
    expect(code).toBe(5);
    expect(out).toContain('45 valid, 5 invalid\n5 x invalid: InvalidItem: currency: Expected one of ');
    expect(out).toMatch(/ {2}for example line 8: currency: Expected one of/);
    expect(out).not.toContain('To submit it');
  });

  it('exits with 9 if none is valid, and suggests a workload that matches', async () => {
    const { code, out } = await tryIt('sales.ndjson --workload billing');
    expect(code).toBe(9);
    expect(out).toMatch(/The file matches workload media: \d of the first \d items are valid\./);
  });

  it('shows the columns of CSV, and suggests a command that fixes them', async () => {
    const { code, out } = await tryIt('none.csv --workload billing');
    expect(code).toBe(9);
    expect(out).toContain(
      'none.csv for workload billing: CSV, delimiter comma, decimal point, utf-8, not compressed\n',
    );
    expect(out).toMatch(/ {2}Konto +Konto +text +not in the schema\n/);
    const [, fixed = ''] = /^Try: sluice try (.*)$/m.exec(out) ?? [];
    expect(fixed).toBe('none.csv --workload billing --rename Konto=account');
    expect(await tryIt(fixed)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ {2}Konto +account +text +renamed\n/),
    });
  });

  it('suggests a command with all given options except those that it replaces', async () => {
    const { code, out } = await tryIt('none.csv --workload billing --format csv --delimiter semicolon --decimal point');
    expect(code).toBe(9);
    expect(out).toMatch(
      /^Try: sluice try none\.csv --workload billing --decimal point --format csv --delimiter comma$/m,
    );
    const sent = await tryIt('good.ndjson --workload billing --format ndjson');
    expect(sent.out).toContain('To submit it: sluice submit good.ndjson --workload billing --format ndjson\n');
  });

  it('requires a workload, and lists those of the checkout', async () => {
    const { code, err } = await tryIt('good.ndjson');
    expect([code, err]).toEqual([2, expect.stringContaining('expected one of billing, payouts, media')]);
  });

  it('exits with 1 for a file that cannot be read, and shows the place', async () => {
    const { code, out } = await tryIt('broken.ndjson --workload billing');
    expect(code).toBe(1);
    expect(out).toContain('The file cannot be read: line 4, column 7: ');
    expect((await tryIt('empty.ndjson --workload billing')).code).toBe(1);
  });

  it('prints the check as JSON, and estimates a large file from its beginning', async () => {
    const { code, out } = await tryIt('large.ndjson.gz --workload billing --items 200 --json');
    const { estimate, ...check } = checkIn({ out } as Ran);
    expect([code, check]).toMatchObject([
      0,
      { format: 'ndjson', encoding: 'gzip', items: 200, valid: 200, whole: false },
    ]);
    expect(Math.abs((estimate?.items ?? 0) / LARGE - 1)).toBeLessThan(0.1);
  });

  it('reads standard input only once', async () => {
    const { code, out } = await tryIt('- --workload billing --items 5', { stdin: ndjson(transactions(30)) });
    expect(code).toBe(0);
    expect(out).toContain('standard input for workload billing: ');
    expect(out).toContain('Items: the first 5 read, 5 valid');
    expect(out).toContain("id: 't0'");
  });

  it.each([
    ['nowhere.ndjson --workload billing', 'cannot read nowhere.ndjson (ENOENT)'],
    ['good.ndjson', 'expected one of billing, payouts, media'],
    ['good.ndjson --workload billin', 'there are: billing, payouts, media. Did you mean billing?'],
    ['good.ndjson --workload billing --run --remote', '--run: cannot be combined with --remote'],
    ['good.ndjson --workload billing --items 0', 'whole number from 1'],
    ['good.ndjson --workload billing --run', 'expected --yes, because there is no terminal to ask for confirmation'],
  ])('exits with 2: %s', async (args, message) => {
    const { code, err } = await tryIt(args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it.each([
    ['good.ndjson --workload mails', { SLUICE_URL: 'http://app.test' }],
    ['good.ndjson --workload billing --remote', {}],
  ])('sends the file to the app: %s', async (args, env) => {
    const { code, err } = await tryIt(args, { env: { ...env, SLUICE_URL: 'http://127.0.0.1:1' } });
    expect([code, err]).toEqual([1, expect.stringContaining('127.0.0.1:1 (ECONNREFUSED)')]);
  });
});

it('sends the beginning of the file to the app, and prints its answer', async () => {
  let asked = { url: '', body: '', type: '' };
  const answer = {
    format: 'csv',
    encoding: 'identity',
    items: 3,
    bytes: 9,
    whole: true,
    valid: 2,
    invalid: 1,
    causes: [],
  };
  const app = createServer(async (request, response) => {
    asked = { url: `${request.url}`, body: await text(request), type: `${request.headers['content-type']}` };
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  const { code, out } = await tryIt('none.csv --workload mails --items 7 --delimiter comma --json', {
    env: { SLUICE_URL: url },
  });
  app.close();
  expect([code, checkIn({ out } as Ran)]).toEqual([5, answer]);
  expect(asked).toMatchObject({ url: '/api/workloads/mails/try?delimiter=comma&items=7', type: 'text/csv' });
  expect(asked.body).toMatch(/^id,Konto,/);
});

describe('sluice try --run', () => {
  it('runs the handler and creates the report, after a warning about side effects', async () => {
    const { code, out, err } = await tryIt('some.ndjson --workload billing --run --yes');
    expect(err).toContain(
      'Runs the handler of billing on 50 items on this machine. Side effects of the handler are real.',
    );
    expect(code).toBe(5);
    expect(out).toContain('Ran 50 items in 1 chunk: 45 results, 5 dead letters\n');
    expect(out).toMatch(/Calls: 45, 0 retried, at most 1 at the same time; \d.* ms per item\n/);
    expect(out).toContain('Results, the first 3 of 45:\n');
    expect(out).toMatch(/Dead letters by cause:\n {2}5 x invalid: .*\n {4}for example line 8: currency/);
    expect(out).toMatch(/Report.*:\n +key +lines/);
  });

  it('prints the check and the run as JSON', async () => {
    const { code, out } = await tryIt('good.ndjson --workload billing --run --yes --json');
    const { run: ran, ...check } = JSON.parse(out);
    expect([code, check]).toMatchObject([0, { items: 50, valid: 50 }]);
    expect(ran).toMatchObject({ calls: 50, retried: 0, chunks: 1, deadLetters: [] });
    expect(ran.results).toHaveLength(50);
    expect(Object.keys(ran.report).length).toBeGreaterThan(0);
  });

  it('runs no item of a file that cannot be read', async () => {
    const { code, out } = await tryIt('broken.ndjson --workload billing --run --yes');
    expect(code).toBe(1);
    expect(out).not.toContain('Ran ');
  });
});
