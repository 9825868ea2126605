import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchQuery, kqlText, readWorkspaceLog } from '../../../../cli/logs/workspace-log.ts';
import { EXIT } from '../../../../cli/process/exit-codes.ts';

const ID = '01a2031d-65e2-7946-82af-207588f285b0';
const WORKSPACE = '11111111-2222-3333-4444-555555555555';
const NAMES = ['TimeGenerated', 'AppRoleInstance', 'SeverityLevel', 'Message'];

const accepted = `{"event":"batch-accepted","batch":"${ID}","workload":"billing","items":2,"traceId":"t"}`;
const handler = `{"event":"handler","message":"no rate for \\u001b[2JXXX","batch":"${ID}","chunk":"000000","position":1}`;

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
