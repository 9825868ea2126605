import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchQuery, kqlText, readWorkspaceLog } from '../../../cli/logs/workspace-log.ts';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { run } from './world.ts';

const ID = '01a2031d-65e2-7946-82af-207588f285b0';
const WORKSPACE = '11111111-2222-3333-4444-555555555555';
const LOCAL = { SLUICE_URL: 'http://127.0.0.1:7071' };
const NAMES = ['TimeGenerated', 'AppRoleInstance', 'SeverityLevel', 'Message'];

const accepted = `{"event":"batch-accepted","batch":"${ID}","workload":"billing","items":2,"traceId":"t"}`;
const handler = `{"event":"handler","message":"no rate for \\u001b[2JXXX","batch":"${ID}","chunk":"000000","position":1}`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-logs-'));
  await mkdir(join(folder, '.sluice/stack/logs'), { recursive: true });
  await mkdir(join(folder, 'deep/er'), { recursive: true });
  const logs = join(folder, '.sluice/stack/logs');
  await writeFile(
    join(logs, 'host-1.log'),
    `[2026-11-22T11:56:28.764Z] ${accepted}\n[2026-11-22T11:56:29.000Z] Executed 'Functions.get-batch'\n`,
  );
  await writeFile(
    join(logs, 'host-2.log'),
    `\u001b[33m[2026-11-22T11:56:28.900Z] ${handler}\u001b[39m\n[2026-11-22T11:56:27.000Z] Drain of ${ID}\n`,
  );
  await writeFile(join(logs, 'azurite.log'), `${ID}\n`);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the log of a local stack', () => {
  const lines = [
    `2026-11-22 11:56:27.000  host-2  Drain of ${ID}`,
    '2026-11-22 11:56:28.764  host-1  batch-accepted  workload=billing  items=2',
    '2026-11-22 11:56:28.900  host-2  handler  message=no rate for \\x1b[2JXXX  chunk=000000  position=1',
  ];

  it('prints the lines about the batch of all instances, oldest first', async () => {
    const { code, out, err } = await run(`logs ${ID}`, {}, { env: LOCAL, folder: join(folder, 'deep/er') });
    expect([code, err, out.trimEnd().split('\n')]).toEqual([EXIT.done, '', lines]);
  });

  it('prints only the newest lines, and reports that older ones are omitted', async () => {
    const { out, err } = await run(`logs ${ID} --limit 1`, {}, { env: LOCAL, folder });
    expect([out, err]).toEqual([`${lines[2]}\n`, 'Only the newest 1 lines are shown; increase --limit for more.\n']);
  });

  it('is read from the folder of --logs, independent of the address of the app', async () => {
    const { code, out } = await run(`logs ${ID} --logs .sluice/stack/logs -o csv`, {}, { folder });
    expect([code, out.split('\r\n').slice(0, 2)]).toEqual([
      EXIT.done,
      ['time,instance,level,event,message', `2026-11-22T11:56:27.000Z,host-2,,,Drain of ${ID}`],
    ]);
  });

  it('is printed as JSON with --json', async () => {
    const { out } = await run(`logs ${ID} --json`, {}, { env: LOCAL, folder });
    expect(JSON.parse(out)).toEqual({
      ...{ batch: ID, source: join(folder, '.sluice/stack/logs'), isCut: false },
      lines: [
        { time: '2026-11-22T11:56:27.000Z', instance: 'host-2', event: null, message: `Drain of ${ID}` },
        { time: '2026-11-22T11:56:28.764Z', instance: 'host-1', event: 'batch-accepted', message: accepted },
        { time: '2026-11-22T11:56:28.900Z', instance: 'host-2', event: 'handler', message: handler },
      ],
    });
  });

  it('reports that there are no lines about the batch', async () => {
    const other = ID.replace('b0', 'b1');
    const { code, out, err } = await run(`logs ${other}`, {}, { env: LOCAL, folder });
    expect([code, out, err]).toEqual([EXIT.done, '', expect.stringContaining(`No lines about ${other} in `)]);
  });

  it.each([
    [`logs ${ID}`, LOCAL, EXIT.usage, 'found no log of a local stack in .sluice of'],
    [`logs ${ID} --logs .`, LOCAL, EXIT.failed, '--logs: expected the log of an instance (host-1.log)'],
    [`logs ${ID}`, {}, EXIT.usage, 'expected --workspace or SLUICE_WORKSPACE, because the logs of http://app.test'],
    [`logs ${ID} --logs . --workspace ${WORKSPACE}`, {}, EXIT.usage, '--logs: cannot be combined with --workspace'],
    [`logs ${ID} --workspace mine`, {}, EXIT.usage, '--workspace: expected the id of a Log Analytics workspace'],
    ['logs billing', {}, EXIT.notFound, '"billing" is not the id of a batch'],
  ])('reports what is missing: %s with %j', async (args, env, exit, message) => {
    const { code, err, asked } = await run(args, {}, { env, folder: tmpdir() });
    expect([code, asked, err]).toEqual([exit, [], expect.stringContaining(message)]);
  });
});

// Tested against a local server that answers as Log Analytics is documented to; not tested on Azure.
describe('the log of an app on Azure', () => {
  interface Question {
    url: string | undefined;
    authorization: string | undefined;
    body: unknown;
  }
  const asked: Question[] = [];
  let answer: { status: number; body: unknown };
  const server = createServer(async (request, response) => {
    const { url, headers } = request;
    asked.push({ url, authorization: headers.authorization, body: await json(request) });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  let at: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const world = {
    fetch: ((url, request) =>
      fetch(String(url).replace('https://api.loganalytics.azure.com', at), request)) as typeof fetch,
    azureToken: async (scope: string) => `token for ${scope}`,
  };
  const read = (limit: number) => readWorkspaceLog(world, { workspace: WORKSPACE, batch: ID, limit });
  const row = (time: string, level: number | null, message: string) => [time, 'app-1', level, message];

  it('contains the answer of the workspace, oldest first, with levels', async () => {
    const rows = [
      row('2026-11-22T11:56:28.9Z', 2, handler),
      row('2026-11-22T11:56:28.7Z', 1, accepted),
      row('2026-11-22T11:56:28.6Z', null, 'x'),
    ];
    answer = {
      status: 200,
      body: { tables: [{ name: 'PrimaryResult', columns: NAMES.map((name) => ({ name })), rows }] },
    };
    expect(await read(2)).toEqual({
      ...{ source: `workspace ${WORKSPACE}`, isCut: true },
      lines: [
        {
          time: '2026-11-22T11:56:28.7Z',
          instance: 'app-1',
          level: 'info',
          event: 'batch-accepted',
          message: accepted,
        },
        { time: '2026-11-22T11:56:28.9Z', instance: 'app-1', level: 'warn', event: 'handler', message: handler },
      ],
    });
    expect((await read(3)).lines[0]).toEqual({
      ...{ time: '2026-11-22T11:56:28.6Z', instance: 'app-1', event: null, message: 'x' },
    });
    expect(asked[0]).toEqual({
      url: `/v1/workspaces/${WORKSPACE}/query`,
      authorization: 'Bearer token for https://api.loganalytics.azure.com/.default',
      body: { query: batchQuery(ID, 2) },
    });
  });

  it('is queried by the time and the id of the batch', () => {
    expect(batchQuery(ID, 10).split('\n')).toEqual([
      'AppTraces',
      '| where TimeGenerated >= datetime(2026-11-22T11:55:28.002Z)',
      `| where Message has "${ID}"`,
      '| top 11 by TimeGenerated desc',
      '| project TimeGenerated, AppRoleInstance, SeverityLevel, Message',
    ]);
  });

  it.each([
    ['a"b', '"a\\"b"'],
    ['a\\" | drop', '"a\\\\\\" | drop"'],
    ['a\nb', '"a\\u000ab"'],
  ])('is queried with escaped string literals: %j', (text, literal) => {
    expect(kqlText(text)).toBe(literal);
  });

  it.each([
    [403, EXIT.refused, 'Log Analytics Reader'],
    [404, EXIT.notFound, 'customerId'],
    [503, EXIT.failed, undefined],
  ])('fails with the exit code and hint of status %i', async (status, exitCode, hint) => {
    answer = { status, body: { error: { message: 'why' } } };
    const fault = expect.objectContaining({ exitCode, message: expect.stringMatching(`answered ${status} .*why`) });
    await expect(read(1)).rejects.toEqual(fault);
    const shown = await read(1).catch(({ hint: text }: { hint?: string }) => text);
    expect(shown).toEqual(hint === undefined ? undefined : expect.stringContaining(hint));
  });

  it('requires a user who is signed in', async () => {
    const nobody = { ...world, azureToken: () => Promise.reject(new Error('no credential')) };
    const reading = readWorkspaceLog(nobody, { workspace: WORKSPACE, batch: ID, limit: 1 });
    await expect(reading).rejects.toMatchObject({ hint: 'Sign in with az login.', exitCode: EXIT.failed });
  });
});

describe('the dashboard', () => {
  const url = `http://app.test/api/dashboard#/batches/${ID}`;

  it('is opened at the page of the batch, without a key in the address', async () => {
    const { code, out, opened, asked } = await run(`open ${ID} --key secret`);
    expect([code, out, opened, asked]).toEqual([EXIT.done, `${url}\n`, [url], []]);
    expect(await run('open zz')).toMatchObject({ code: EXIT.usage, out: '', opened: [] });
    expect((await run('open')).out).toBe('http://app.test/api/dashboard\n');
  });

  it('is not opened with --print or without a browser, and its address is printed', async () => {
    expect(await run(`open ${ID} --print`)).toMatchObject({ code: EXIT.done, out: `${url}\n`, err: '', opened: [] });
    const without = await run(`open ${ID} --json`, {}, { hasBrowser: false });
    expect(JSON.parse(without.out)).toEqual({ url, opened: false });
    expect(without.err).toBe('Could not start a browser: open the address manually.\n');
  });
});
