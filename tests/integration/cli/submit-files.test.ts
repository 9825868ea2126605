import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { type CliRun, type CliWorld, runCli } from '../../helpers/cli.ts';
import { xlsx } from '../../helpers/data/tables.ts';
import { batchView } from '../../unit/cli/world.ts';

/** A complete upload that the app received. */
interface Arrived {
  url: string;
  headers: IncomingMessage['headers'];
  text: string;
}

let server: Server;
let folder: string;
let arrived: Arrived[];
let broken: number;
/** The answers of the app to uploads, by text. */
let answers: Record<string, { status: number; json?: unknown }>;
let ends: Record<string, Parameters<typeof batchView>[1]>;
/** The successive answers of `GET inbox?name=`. */
let inboxAnswers: object[];

beforeAll(async () => {
  server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => new Promise((closed) => server.close(closed)));
beforeEach(async () => {
  [arrived, broken, answers, ends, inboxAnswers] = [[], 0, {}, {}, []];
  folder = await mkdtemp(join(tmpdir(), 'sluice-submit-'));
  return () => rm(folder, { recursive: true, force: true });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? '';
  const send = (status: number, json?: unknown): void => {
    response.writeHead(status).end(json === undefined ? undefined : JSON.stringify(json));
  };
  if (url === '/api/health') return send(200, { workloads: ['billing'] });
  const id = /^\/api\/batches\/(.*)$/.exec(url)?.[1];
  if (id !== undefined) return send(200, batchView(id, ends[id] ?? 'completed'));
  if (url.startsWith('/api/inbox?')) return send(200, { files: [inboxAnswers.shift()].filter(Boolean) });
  if (url.endsWith('/from-url')) {
    arrived.push({ url, headers: request.headers, text: (await buffer(request)).toString() });
    return send(202, { inbox: { name: 'billing/0-usage.csv' }, links: { self: '/api/inbox?name=x' } });
  }
  try {
    const text = zstdDecompressSync(await buffer(request)).toString();
    const { status, json } = answers[text] ?? accepted(`batch-${text.trim()}`);
    arrived.push({ url, headers: request.headers, text });
    send(status, json);
  } catch {
    broken++;
  }
}

/** The batch is accepted now: an older one would be a repetition. */
function accepted(id: string): { status: number; json: unknown } {
  const batch = batchView(id, 'queued');
  return { status: 202, json: { ...batch, times: { ...batch.times, accepted: new Date().toISOString() } } };
}

const problem = (type: string, status: number, more: object = {}) => ({
  status,
  json: { type: `https://sluice.example/problems/${type}`, title: 'Title', status, ...more },
});

const submit = (args: string[], world: Partial<CliWorld> = {}): Promise<CliRun> => {
  const env = { SLUICE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...world.env };
  return runCli(['submit', ...args], { folder, ...world, env });
};

async function write(files: Record<string, string | Uint8Array>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

describe('several files', () => {
  it('are found by pattern, each once and in order, and submitted as one batch per file', async () => {
    await write({ 'in/b.ndjson': '2', 'in/a.ndjson': '1', 'in/c.csv': '3', 'in/c.txt': 'no' });
    const { code, out } = await submit(['in/*.{ndjson,csv}', 'in/a.ndjson', '--json']);
    expect(code).toBe(EXIT.done);
    const { batches } = JSON.parse(out);
    expect(batches.map(({ file, id }: { file: string; id: string }) => [file, id])).toEqual([
      ['in/a.ndjson', 'batch-1'],
      ['in/b.ndjson', 'batch-2'],
      ['in/c.csv', 'batch-3'],
    ]);
    expect(batches[0]).toMatchObject({
      state: 'queued',
      isRepeat: false,
      idempotencyKey: expect.stringMatching(/^sha256-/),
    });
    expect(arrived.map(({ headers }) => headers['sluice-file-name']).sort()).toEqual(['a.ndjson', 'b.ndjson', 'c.csv']);
  });

  it('are printed as a table at the end, or as ids', async () => {
    await write({ 'a.ndjson': '1', 'b.ndjson': '2' });
    const table = await submit(['a.ndjson', 'b.ndjson']);
    expect(table.out).toMatch(
      /file +batch +items +dead +state\n +a.ndjson +batch-1 +10 +1 +queued\n +b.ndjson +batch-2/,
    );
    expect(table.err).toContain('a.ndjson: batch batch-1: queued\n');
    expect((await submit(['*.ndjson', '--quiet'])).out).toBe('batch-1\nbatch-2\n');
  });

  it('are submitted although one fails; the failed file is reported, and the worst exit code is returned', async () => {
    await write({ 'a.ndjson': '1', 'b.ndjson': 'x', 'c.ndjson': '3', 'd.ndjson': '4' });
    answers.x = problem('malformed-record', 400, { detail: 'Line 1, column 1: Odd.' });
    ends['batch-3'] = 'completedWithDeadLetters';
    const { code, out, err } = await submit(['a.ndjson', 'b.ndjson', 'c.ndjson', 'd.ndjson', '--wait', '--json']);
    expect(code).toBe(EXIT.refused);
    const { batches } = JSON.parse(out);
    expect(batches.map(({ state }: { state?: string }) => state)).toEqual([
      ...['completed', undefined, 'completedWithDeadLetters', 'completed'],
    ]);
    expect(batches[1]).toMatchObject({ file: 'b.ndjson', error: { exitCode: EXIT.refused } });
    const { error } = JSON.parse(err.trim().split('\n').at(-1) ?? '');
    expect(error.message).toBe(
      '1 of 4 files failed:\n  b.ndjson: Title (400 malformed-record)\n    Line 1, column 1: Odd.',
    );
    expect((await submit(['a.ndjson', 'c.ndjson', '--wait'])).code).toBe(EXIT.deadLetters);
  });

  it('are shown as a table that is redrawn in a terminal', async () => {
    await write({ 'a.ndjson': '1', 'b.ndjson': '2' });
    const { err } = await submit(['*.ndjson', '--wait'], { isTerminal: true });
    const escapes = err.replaceAll('\u001b', '^');
    expect(escapes).toMatch(/\^\[2K {2}a.ndjson .* (waiting|sending)\n\^\[2K {2}b.ndjson .*\n\^\[J/);
    expect(escapes).toMatch(/\^\[2A\^\[J$/);
    expect(err).not.toContain('a.ndjson: batch');
  });

  it('are refused if they have the same content', async () => {
    await write({ 'a.ndjson': '1', 'b.ndjson': '1' });
    const { code, err } = await submit(['*.ndjson']);
    expect([code, arrived.length]).toEqual([EXIT.usage, 1]);
    expect(err).toMatch(/\w.ndjson: has the same content as \w.ndjson; --again submits it as another batch/);
  });

  it('are printed with their batches when the command is interrupted', async () => {
    await write({ 'a.ndjson': '1', 'b.ndjson': '2' });
    let interrupt = (): void => {};
    const onInterrupt = (report: () => void) => {
      interrupt = report;
      return () => {};
    };
    const sleep = async () => interrupt();
    let ms = 0;
    const now = () => (ms += 100);
    ends = { 'batch-1': 'running' };
    const ended = await submit(['*.ndjson', '--wait', '--timeout', '1'], { io: { onInterrupt, sleep, now } });
    expect(ended.code).toBe(EXIT.timeout);
    // The interruption prints the first table.
    expect(ended.out.split('file ')[1]).toMatch(/a.ndjson +batch-1 +10 +1 +running\n/);
  });

  it('are refused before any upload if one of them cannot be read', async () => {
    await write({ 'a.ndjson': '1', 'b.odd': '2' });
    for (const [args, message] of [
      [['a.ndjson', 'b.odd'], 'expected a name such as'],
      [['a.ndjson', 'none.csv'], 'cannot read none.csv'],
      [['a.ndjson', '*.csv'], 'no file matches *.csv'],
      [['a.ndjson', '-'], 'cannot be combined with other files'],
      [['a.ndjson', 'b.odd', '--idempotency-key', 'k'], 'expected one file'],
      [['a.ndjson', '--decimal', 'comma'], 'expected a CSV or Excel file'],
      [['a.ndjson', '--sheet', '2'], 'expected an Excel file'],
    ] as const) {
      const { code, err } = await submit([...args]);
      expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(message)]);
    }
    expect(arrived).toEqual([]);
  });
});

describe('the options of an upload', () => {
  it('are sent as parameters and headers, and those that change the reading change the key', async () => {
    await write({ 'Umsätze März.csv': 'a;b\n' });
    const options = ['--delimiter', 'semicolon', '--decimal', ',', '--rename', 'Konto Nr.=account', '--validate'];
    const labels = ['--label', 'month=2026-03', '--label', 'owner=Müller, A.'];
    answers['a;b\n'] = accepted('b1');
    const keyOf = async (...more: string[]) =>
      JSON.parse((await submit(['Umsätze März.csv', ...more, '--json'])).out).idempotencyKey;
    const key = await keyOf(...options, ...labels);
    const [{ url = '', headers = {} } = {}] = arrived;
    expect([...new URLSearchParams(url.split('?')[1])]).toEqual([
      ['delimiter', 'semicolon'],
      ['decimal', 'comma'],
      ['rename', 'Konto Nr.=account'],
      ['validate', 'all'],
    ]);
    expect(headers['sluice-labels']).toBe('month=2026-03,owner=M%C3%BCller%2C%20A.');
    expect(headers['sluice-file-name']).toBe('Ums%C3%A4tze%20M%C3%A4rz.csv');
    expect(await keyOf(...options)).toBe(key);
    expect(await keyOf()).not.toBe(key);
    expect(await keyOf('--decimal', 'comma')).not.toBe(key);
  });

  it.each([
    [['--label', 'Month=3'], "label's key"],
    [['--label', 'month'], 'Expected key=value'],
    [['--label', 'a=1', '--label', 'a=2'], 'given twice'],
    [['--delimiter', 'dot'], 'Expected one of comma, semicolon, tab, pipe'],
    [['--rename', 'x'], 'Old name=newName'],
    [['--via', 'inbox', '--inbox-connection', 'x', '--validate'], 'validateAtIntake'],
  ])('are refused if they are invalid: %s', async (args, message) => {
    await write({ 'a.csv': 'a\n' });
    const { code, err } = await submit(['a.csv', ...args]);
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(message)]);
  });

  it('include the delimiter of a .tsv file', async () => {
    await write({ 'a.tsv': 'a\tb\n' });
    await submit(['a.tsv']);
    expect(arrived[0]?.url).toContain('?delimiter=tab');
  });

  it('include --validate, whose errors are printed by line', async () => {
    await write({ 'a.csv': 'a\n1\n' });
    const errors = [2, 3].map((line) => ({ line, column: 1, message: 'a: Expected text.' }));
    answers['a\n1\n'] = problem('invalid-items', 422, { detail: '2 of 2 items are invalid.', errors });
    const { code, err } = await submit(['a.csv', '--validate']);
    expect(code).toBe(EXIT.refused);
    expect(err).toContain('  line 2, column 1: a: Expected text.\n  line 3, column 1: a: Expected text.\n');
  });
});

describe('a workbook', () => {
  const sheets = {
    Notes: [['x']],
    Data: [
      ['Name', 'n'],
      ['Ann', 1.5],
    ],
  };

  it('is sent as CSV, with the sheet as a part of its key', async () => {
    await write({ 'book.xlsx': xlsx(sheets) });
    const csv = 'Name,n\nAnn,"1,5"\n';
    answers[csv] = accepted('b1');
    const { code, err } = await submit(['book.xlsx', '--sheet', 'data', '--decimal', 'comma']);
    expect(code).toBe(EXIT.done);
    expect(err).toContain('Sheet "Data", one of 2; choose another with --sheet\n');
    expect(arrived[0]).toMatchObject({ text: csv, url: expect.stringContaining('delimiter=comma&decimal=comma') });
    expect(arrived[0]?.headers).toMatchObject({ 'content-type': 'text/csv', 'sluice-file-name': 'book.xlsx' });
    await submit(['book.xlsx']);
    expect(arrived[1]?.headers['idempotency-key']).not.toBe(arrived[0]?.headers['idempotency-key']);
  });

  it('is not accepted in part if a cell contains an error', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => [`row ${n} ${Math.sin(n)}`, n]);
    await write({ 'book.xlsx': xlsx({ Data: [['Name', 'n'], ...rows, ['Zoe', { error: '#N/A' }]] }) });
    const { code, err } = await submit(['book.xlsx']);
    expect([code, err]).toEqual([EXIT.usage, expect.stringContaining('cell B20002 contains the error #N/A')]);
    expect(arrived).toEqual([]);
    await expect.poll(() => broken).toBe(1);
  });
});

describe('an upload over a limit', () => {
  const inbox = { SLUICE_INBOX_CONNECTION: 'UseDevelopmentStorage=nonsense' };
  const viaInbox = expect.stringContaining('--inbox-connection: expected');

  it('goes through the inbox if the platform refused it with an empty answer', async () => {
    await write({ 'a.ndjson': 'x' });
    answers.x = { status: 413 };
    const refused = await submit(['a.ndjson']);
    expect([refused.code, refused.err]).toEqual([EXIT.refused, expect.stringContaining('at most 210 MB')]);
    expect(refused.err).toContain('SLUICE_INBOX_CONNECTION');
    expect(refused.err).toContain('several smaller files');
    expect((await submit(['a.ndjson'], { env: inbox })).err).toEqual(viaInbox);
  });

  it('is not sent again if a single record is too large', async () => {
    await write({ 'a.ndjson': 'x', 'b.csv': 'y' });
    const errors = [{ line: 1, column: 1, message: 'Record of over 1 MiB.' }];
    answers.x = problem('too-large', 413, { detail: 'Line 1: Record of over 1 MiB.', errors });
    answers.y = problem('malformed-record', 400, { detail: 'Line 1: The quote is not closed.', errors });
    for (const file of ['a.ndjson', 'b.csv']) {
      const { code, err } = await submit([file], { env: inbox });
      expect([code, err]).toEqual([EXIT.refused, expect.not.stringContaining('inbox')]);
    }
  });
});

describe('an address', () => {
  const URL = 'https://files.example/in/usage.csv.gz?sig=secret';
  const file = { name: 'billing/0-usage.csv', state: 'waiting', since: '2026-11-22T14:03:12.000Z' };
  const quick = { io: { sleep: async () => {} } };

  it('is sent to the app with lane, labels and options', async () => {
    const args = [URL, '--lane', 'bulk', '--label', 'month=march', '--delimiter', ';', '--rename', 'Konto=account'];
    const { code, out, err } = await submit([...args, '--idempotency-key', 'k', '--json']);
    expect([code, JSON.parse(out)]).toEqual([EXIT.done, { inbox: 'billing/0-usage.csv', idempotencyKey: 'k' }]);
    expect(arrived).toMatchObject([
      { url: '/api/workloads/billing/batches/from-url', headers: { 'idempotency-key': 'k' } },
    ]);
    expect(JSON.parse(arrived[0]?.text ?? '')).toEqual({
      ...{ url: URL, lane: 'bulk', labels: { month: 'march' } },
      csv: { delimiter: 'semicolon', rename: { Konto: 'account' } },
    });
    expect(out + err).not.toContain('secret');
  });

  it('is followed through the inbox until its batch is finished', async () => {
    inboxAnswers = [file, { ...file, state: 'taking' }, { ...file, state: 'done', batch: 'batch-9' }];
    ends['batch-9'] = 'completedWithDeadLetters';
    const { code, out } = await submit([URL, '--wait'], quick);
    expect([code, inboxAnswers]).toEqual([EXIT.deadLetters, []]);
    expect(out).toContain('Accepted as batch batch-9');
  });

  it('is reported with the reason if it is rejected', async () => {
    const reason = { type: 'x/not-found', status: 404, title: 'Title', detail: 'Nothing lies there.', errors: [] };
    inboxAnswers = [{ ...file, state: 'rejected', reason }];
    expect(await submit([URL, '--wait'], quick)).toMatchObject({
      code: EXIT.notFound,
      err: expect.stringContaining('Nothing lies there.'),
    });
  });

  it('has the format of the option if its name does not contain it', async () => {
    await submit(['https://files.example/export?id=3', '--format', 'csv', '--encoding', 'gzip']);
    expect(JSON.parse(arrived[0]?.text ?? '')).toMatchObject({ fileName: 'export.csv.gz' });
  });

  it.each([
    [[URL, 'a.csv'], 'an address cannot be combined with other files'],
    [[URL, '--via', 'http'], 'which goes through the inbox'],
    [[URL, '--validate'], 'validateAtIntake'],
    [['https://files.example/book.xlsx'], 'imports only text formats, got book.xlsx'],
    [['https://files.example/a.json', '--decimal', 'comma'], 'expected a CSV file'],
  ])('refuses %j', async (args, message) => {
    expect(await submit(args)).toMatchObject({ code: EXIT.usage, err: expect.stringContaining(message) });
    expect(arrived).toEqual([]);
  });
});
