/**
 * Runs the script of a producer outside the cloud against a server with responses that a test defines.
 * tests/integration/pipeline/idempotency.test.ts runs it on a real stack.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { createPublisher } from '../../helpers/publisher.ts';

const KEY = 'c2VjcmV0LWtleQ==';
const ID = '01a1ff31-d340-758a-97ac-e9bc68bcf6cf';
const LINE = '{"id":"a"}\n';

/** A request that arrived completely. */
interface Arrived {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Buffer;
}
type Answer = [status: number, body?: unknown, headers?: Record<string, string>] | 'hang up';

const accepted = (id = ID): Answer => [
  202,
  { id, state: 'queued' },
  { location: `/api/batches/${id}`, 'retry-after': '1' },
];
const problem = (status: number, type: string, more: object = {}): Answer => [
  status,
  { type: `https://sluice.example/problems/${type}`, title: 'T', detail: `It is "${type}".`, ...more, status },
  { 'content-type': 'application/problem+json' },
];

let server: Server;
let folder: string;
let arrived: Arrived[];
/** The responses, in this order; the last one is repeated. */
let answers: Answer[];
let onRequest: () => Promise<void>;
let publish: Awaited<ReturnType<typeof createPublisher>>;

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(async () => {
  [arrived, answers, onRequest] = [[], [accepted()], async () => {}];
  folder = await mkdtemp(join(tmpdir(), 'sluice-publish-'));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  publish = await createPublisher(folder, { SLUICE_URL: url, SLUICE_KEY: KEY });
  await writeFile(join(folder, 'usage.ndjson'), LINE);
  return () => rm(folder, { recursive: true, force: true });
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  arrived.push({ method, url, headers, body: await buffer(request) });
  const next = answers.length > 1 ? answers.shift() : answers[0];
  await onRequest();
  if (next === undefined || next === 'hang up') return void request.socket.destroy();
  const [status, body, more = {}] = next;
  response.writeHead(status, more).end(typeof body === 'string' ? body : JSON.stringify(body));
}

const out = async (name: string, content = LINE): Promise<void> => {
  await mkdir(join(folder, 'out'), { recursive: true });
  await writeFile(join(folder, 'out', name), content);
};
const inFolder = async (name: string): Promise<string[]> =>
  (await readdir(join(folder, 'out', name)).catch(() => [])).toSorted();

describe('a file', () => {
  it.each(['sh', 'bash'] as const)('is sent compressed, with its options, by %s', async (shell) => {
    const name = 'Umsätze 11.csv';
    await writeFile(join(folder, name), 'id;sum\na;1\n');
    const options = [
      '--lane',
      'bulk',
      '--label',
      'team=sales & more',
      '--label',
      'day=1',
      '--csv',
      'delimiter=semicolon',
    ];
    const { code, out, calls } = await publish([...options, 'billing', name], { shell });
    expect([code, out]).toEqual([0, `${ID}\n`]);
    const [{ url, headers, body } = arrived[0] as never] = arrived;
    const { pathname, searchParams } = new URL(url, 'http://app');
    expect([pathname, Object.fromEntries(searchParams)]).toEqual([
      '/api/workloads/billing/batches',
      { lane: 'bulk', delimiter: 'semicolon' },
    ]);
    expect(gunzipSync(body).toString()).toBe('id;sum\na;1\n');
    expect(headers).toMatchObject({
      'x-functions-key': KEY,
      'content-type': 'text/csv',
      'content-encoding': 'gzip',
      'content-length': String(body.length),
    });
    expect(decodeURIComponent(String(headers['sluice-file-name']))).toBe(name);
    expect(decodeURIComponent(String(headers['sluice-labels']))).toBe('team=sales & more,day=1');
    expect(calls.filter((line) => line.startsWith('curl '))).toHaveLength(1);
    expect(calls.join('\n')).not.toContain(KEY);
  });

  it('is sent with a key from a file, and unchanged if it is already compressed', async () => {
    await writeFile(join(folder, 'key'), `${KEY}\r\n`);
    await writeFile(join(folder, 'usage.ndjson.zst'), 'frames');
    const { code, calls } = await publish(['--key-file', 'key', 'billing', 'usage.ndjson.zst'], {
      env: { SLUICE_KEY: '' },
    });
    expect(code).toBe(0);
    expect(arrived[0]?.body.toString()).toBe('frames');
    expect(arrived[0]?.headers).toMatchObject({ 'x-functions-key': KEY, 'content-encoding': 'zstd' });
    expect(calls.join('\n')).not.toContain(KEY);
  });

  it('gets a key from its content, different from that of other content', async () => {
    await writeFile(join(folder, 'copy.ndjson'), LINE);
    await writeFile(join(folder, 'other.ndjson'), '{"id":"b"}\n');
    await publish(['billing', 'usage.ndjson', 'copy.ndjson', 'other.ndjson']);
    const [first, copy, other] = arrived.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^sha256-[0-9a-f]{64}$/);
    expect(copy).toBe(first);
    expect(other).not.toBe(first);
  });

  it('is sent uncompressed, with a checksum as its key, if neither gzip nor a hash tool is installed', async () => {
    await Promise.all(['gzip', 'sha256sum', 'shasum'].map((tool) => rm(join(folder, 'bin', tool))));
    expect((await publish(['billing', 'usage.ndjson'])).code).toBe(EXIT.done);
    expect(arrived[0]?.body.toString()).toBe(LINE);
    expect(arrived[0]?.headers['content-encoding']).toBeUndefined();
    expect(arrived[0]?.headers['idempotency-key']).toMatch(/^cksum-\d+-11$/);
  });

  it("is sent again after the server's retry-after, with the same bytes and key", async () => {
    const busy: Answer = [503, '', { 'retry-after': '7' }];
    answers = [busy, busy, accepted()];
    const { code, out, err, waits } = await publish(['billing', 'usage.ndjson']);
    expect([code, out, waits]).toEqual([0, `${ID}\n`, [7, 7]]);
    expect(err).toContain('the app answered 503; attempt 1 of 8, the next in 7 s');
    expect(
      new Set(arrived.map(({ headers, body }) => `${headers['idempotency-key']} ${body.toString('hex')}`)).size,
    ).toBe(1);
    expect(arrived).toHaveLength(3);
  });

  it('is sent again after a lost connection, after throttling, and while its key is in use', async () => {
    answers = ['hang up', [429], [408], problem(409, 'upload-in-progress'), accepted()];
    const { code, waits } = await publish(['billing', 'usage.ndjson']);
    expect([code, arrived.length, waits.length]).toEqual([0, 5, 4]);
  });

  it('fails after --tries, and if the server requests too long a wait', async () => {
    answers = [[500, 'down']];
    expect((await publish(['--tries', '3', 'billing', 'usage.ndjson'])).code).toBe(1);
    expect(arrived).toHaveLength(3);
    answers = [[503, '', { 'retry-after': '86400' }]];
    expect(await publish(['billing', 'usage.ndjson'])).toMatchObject({ code: 1, waits: [] });
  });

  it('that is refused is not sent again, and the reason is shown with positions', async () => {
    const errors = [
      { line: 17, column: 9, message: 'Expected a value, got "}"' },
      { line: 18, message: 'too "long"' },
    ];
    answers = [problem(400, 'malformed-record', { errors })];
    const { code, err } = await publish(['billing', 'usage.ndjson']);
    expect([code, arrived.length]).toEqual([4, 1]);
    expect(err).toBe(
      [
        'publish: usage.ndjson: refused (400 malformed-record): It is "malformed-record".',
        '  line 17, column 9: Expected a value, got "}"',
        '  line 18: too "long"',
        '',
      ].join('\n'),
    );
  });

  it.each<[string, Answer, number, string]>([
    ['no key of the app', [401], 4, 'the key does not open this route'],
    ['no such workload', problem(404, 'not-found'), 3, 'refused (404 not-found)'],
    ['a wrong lane', problem(400, 'invalid-parameter'), 4, 'refused (400 invalid-parameter)'],
    ['a page of a proxy', [200, '<html>Sign in</html>'], 4, 'is http://127.0.0.1'],
    ['a limit of the platform', [413], 4, 'larger than it lets through'],
  ])('is not sent again after %s', async (_, refusal, exit, says) => {
    answers = [refusal];
    const { code, err, out } = await publish(['billing', 'usage.ndjson']);
    expect([code, out, arrived.length]).toEqual([exit, '', 1]);
    expect(err).toContain(says);
  });

  it('that is too large is neither read completely nor sent', async () => {
    await writeFile(join(folder, 'usage.ndjson'), randomBytes(2_000_000));
    await truncate(join(folder, 'usage.ndjson'), 10 ** 11);
    const { code, err } = await publish(['billing', 'usage.ndjson'], { env: { SLUICE_MAX_BODY_BYTES: '1000' } });
    expect([code, arrived.length]).toEqual([4, 0]);
    expect(err).toContain('larger than 1000 bytes as it would be sent: put it into the inbox');
  });

  it.each<[string, string[]]>([
    ['the key is sent by https only', ['--url', 'http://127.0.0.1.example', 'billing', 'usage.ndjson']],
    ['a key on the command line', ['--key', KEY, 'billing', 'usage.ndjson']],
    ['the name must end in', ['billing', 'key.txt']],
    ['no file that can be read', ['billing', 'usage.ndjson', 'missing.ndjson']],
    ['unknown option --fast', ['--fast', '1', 'billing', 'usage.ndjson']],
    ['for one file', ['--idempotency-key', 'k', 'billing', 'usage.ndjson', 'usage.ndjson']],
  ])('is not sent with an invalid command line: %s', async (says, args) => {
    await writeFile(join(folder, 'key.txt'), '');
    const { code, err } = await publish(args);
    expect([code, arrived.length]).toEqual([2, 0]);
    expect(err).toContain(says);
  });
});

describe('--wait', () => {
  it('polls until the batch is finished, and saves the report', async () => {
    answers = [
      accepted(),
      [200, { state: 'running' }],
      [503],
      [200, { id: ID, state: 'completed' }],
      [200, '{"key":"a"}\n'],
    ];
    const { code, waits } = await publish(['--wait', '--reports', 'in', 'billing', 'usage.ndjson']);
    expect(arrived.map(({ url }) => url.replace(`/api/batches/${ID}`, ''))).toEqual([
      '/api/workloads/billing/batches?',
      ...['', '', '', '/report'],
    ]);
    expect([code, waits.length]).toEqual([0, 2]);
    expect(await readFile(join(folder, 'in', `${ID}.report.ndjson`), 'utf8')).toBe('{"key":"a"}\n');
  });

  it.each([
    ['completedWithDeadLetters', EXIT.deadLetters],
    ['cancelled', EXIT.cancelled],
    ['reportFailed', EXIT.reportFailed],
    ['suspect', EXIT.suspect],
  ])('ends with the code of %s', async (state, exit) => {
    answers = [accepted(), [200, { state }], problem(404, 'not-found')];
    expect(await publish(['--wait', 'billing', 'usage.ndjson'])).toMatchObject({ code: exit, out: `${ID}\n` });
    expect(await readdir(folder)).not.toContain(`${ID}.report.ndjson`);
  });

  it('ends at the time limit', async () => {
    answers = [accepted(), [200, { state: 'running' }]];
    // The script uses the real clock, but its waits are shortened.
    expect(await publish(['--wait', '--timeout', '1', 'billing', 'usage.ndjson'])).toMatchObject({
      code: EXIT.timeout,
    });
  });
});

describe('--folder', () => {
  const SEND = ['--folder', 'out', 'billing'];

  it('moves accepted and refused files away, and leaves the others', async () => {
    await Promise.all([
      out('a.ndjson', '{}\n'),
      out('b.ndjson', '{'),
      out('c.csv'),
      out('notes.txt'),
      out('.d.ndjson'),
    ]);
    const refused = problem(400, 'malformed-record');
    answers = [accepted('01a1ff31-0000-7000-8000-00000000000a'), refused, accepted()];
    const { code, out: ids, err } = await publish(SEND);
    expect([code, ids.split('\n')]).toEqual([4, ['01a1ff31-0000-7000-8000-00000000000a', ID, '']]);
    expect(err).toContain('out/notes.txt: left where it is');
    expect(await inFolder('sent')).toEqual(['01a1ff31-0000-7000-8000-00000000000a-a.ndjson', `${ID}-c.csv`]);
    const [file = '', reason = ''] = await inFolder('rejected');
    expect([file, reason]).toEqual([expect.stringMatching(/^[0-9a-f]{12}-b\.ndjson$/), `${file}.reason.json`]);
    expect(JSON.parse(await readFile(join(folder, 'out/rejected', reason), 'utf8'))).toMatchObject({ status: 400 });
    expect(await inFolder('.')).toEqual(['.d.ndjson', 'notes.txt', 'rejected', 'sent']);
    expect(await publish(SEND)).toMatchObject({ code: 0, out: '' });
    expect(arrived).toHaveLength(3);
  });

  it('stops if no file would be accepted, and leaves all of them', async () => {
    await Promise.all([out('a.ndjson'), out('b.ndjson')]);
    answers = [[401]];
    expect((await publish(SEND)).code).toBe(4);
    expect([arrived.length, await inFolder('.')]).toEqual([1, ['a.ndjson', 'b.ndjson']]);
  });

  it('sends a file that was accepted but not moved again, with the same key', async () => {
    await out('a.ndjson');
    expect(await publish(SEND, { killAtMove: true })).toMatchObject({ code: null, out: `${ID}\n` });
    expect(await inFolder('.')).toContain('a.ndjson');
    expect((await publish(SEND)).code).toBe(0);
    expect(await inFolder('sent')).toEqual([`${ID}-a.ndjson`]);
    const [first, second] = arrived.map(({ headers }) => headers['idempotency-key']);
    expect(second).toBe(first);
  });

  it('moves a file that is too large away without sending it, and fails if it cannot move a file', async () => {
    await out('a.ndjson');
    const env = { SLUICE_MAX_BODY_BYTES: '1' };
    expect((await publish(SEND, { env })).code).toBe(EXIT.refused);
    expect(await inFolder('rejected')).toEqual([expect.stringMatching(/^\d{10}-a\.ndjson$/)]);
    await out('b.ndjson');
    await writeFile(join(folder, 'out/sent'), 'no folder');
    expect((await publish(SEND)).code).toBe(EXIT.failed);
    expect(await inFolder('.')).toContain('b.ndjson');
  });

  it('does not move a file that replaced the one that was sent', async () => {
    await out('a.ndjson');
    await writeFile(join(folder, 'next.ndjson'), '{"id":"next"}\n');
    onRequest = () => rename(join(folder, 'next.ndjson'), join(folder, 'out/a.ndjson'));
    expect((await publish(SEND)).err).toContain('out/a.ndjson: changed, or was moved, while it was sent');
    expect(await readFile(join(folder, 'out/a.ndjson'), 'utf8')).toBe('{"id":"next"}\n');
  });
});
