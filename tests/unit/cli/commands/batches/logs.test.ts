import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { run } from '../../world.ts';

const ID = '01a2031d-65e2-7946-82af-207588f285b0';
const WORKSPACE = '11111111-2222-3333-4444-555555555555';
const LOCAL = { SLUICE_URL: 'http://127.0.0.1:7071' };

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
