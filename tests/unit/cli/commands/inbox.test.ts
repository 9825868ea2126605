import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../../cli/process/exit-codes.ts';
import type { InboxFileView } from '../../../../shared/http/inbox/schemas.ts';
import { run } from '../world.ts';

const file = (name: string, fields: Partial<InboxFileView> = {}): InboxFileView => ({
  ...{
    name,
    workload: 'billing',
    lane: null,
    state: 'waiting',
    bytes: 2_000,
    since: '2026-11-22T14:03:12.000Z',
    notes: [],
  },
  ...fields,
});
const reason = { type: 'malformed-record', status: 400, title: 'A record', detail: 'It is not JSON.', errors: [] };
const FILES = [
  file('billing/1.csv'),
  file('billing/2.csv', { state: 'taking', readBytes: 800, readItems: 1_234, notes: ['40 % read'] }),
  file('billing/3.csv.url', { state: 'taking', readBytes: 5_000_000 }),
  file('billing/4.csv', { state: 'rejected', reason, notes: ['It is not JSON.', 'at line 17'] }),
  file('x\u001b[31m', { state: 'rejected', workload: null }),
];

describe('sluice inbox', () => {
  it('lists the files with state, progress and reason of rejection', async () => {
    const { code, out } = await run('inbox', { 'GET inbox?limit=50': { json: { files: FILES } } });

    expect(code).toBe(EXIT.done);
    const [, ...rows] = out.trimEnd().split('\n');
    expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
      ['billing/1.csv', 'billing', 'waiting', '2.0 kB', '2026-11-22 14:03:12'],
      ['billing/2.csv', 'billing', 'taking', '2.0 kB', '2026-11-22 14:03:12', '1,234', '40 % read'],
      ['billing/3.csv.url', 'billing', 'taking', '2.0 kB', '2026-11-22 14:03:12'],
      ['billing/4.csv', 'billing', 'rejected', '2.0 kB', '2026-11-22 14:03:12', 'It is not JSON.; at line 17'],
      ['x\\x1b[31m', 'rejected', '2.0 kB', '2026-11-22 14:03:12'],
    ]);
  });

  it('prints the answers of all pages as JSON and CSV', async () => {
    const answers = {
      'GET inbox?workload=billing&state=rejected&limit=2': {
        json: { files: FILES.slice(0, 1) },
        headers: { link: '</api/inbox?after=rejected.x>; rel="next"' },
      },
      'GET inbox?after=rejected.x': { json: { files: FILES.slice(3) } },
    };
    const command = 'inbox --workload billing --state rejected --limit 2';

    const json = await run(`${command} --json`, answers);
    const csv = await run(`${command} -o csv`, answers);

    expect(JSON.parse(json.out)).toEqual({ files: [FILES[0], FILES[3]] });
    expect(csv.out.trimEnd().split(/\r?\n/)).toEqual([
      'name,workload,state,bytes,since,readItems,reason',
      'billing/1.csv,billing,waiting,2000,2026-11-22T14:03:12.000Z,,',
      'billing/4.csv,billing,rejected,2000,2026-11-22T14:03:12.000Z,,It is not JSON.',
    ]);
  });

  it('reports an empty inbox', async () => {
    const { out } = await run('inbox', { 'GET inbox?limit=50': { json: { files: [] } } });
    expect(out).toBe('No files in the inbox.\n');
  });

  it('retries and deletes a rejected file whose name contains special characters', async () => {
    const retried = await run("inbox retry 'billing/a b&c.csv'", { 'POST inbox/retry': { status: 202, json: {} } });
    const deleted = await run("inbox delete 'billing/a b&c.csv' --yes");

    expect(retried.asked[0]?.body).toEqual({ name: 'billing/a b&c.csv' });
    expect(retried.out).toBe('billing/a b&c.csv is waiting in the inbox again.\n');
    expect(deleted.asked[0]).toMatchObject({ method: 'DELETE', path: 'inbox?name=billing%2Fa+b%26c.csv' });
  });

  it.each(['inbox lose a.csv', 'inbox retry', 'inbox delete a.csv', 'inbox --state lost', 'inbox retry a.csv -o csv'])(
    'sends no request for "%s"',
    async (args) => {
      const { code, asked } = await run(args);
      expect([code, asked]).toEqual([EXIT.usage, []]);
    },
  );
});
