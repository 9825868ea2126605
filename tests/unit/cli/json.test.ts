import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { createProgram } from '../../../cli/program.ts';
import { noCounts } from '../../../shared/sweep/sweep-run.ts';
import { writeAppFolder } from '../../helpers/app-folder.ts';
import { type Answer, batchView, connectionFault, run } from './world.ts';

const ID = '01a1fe1f-bab8-7ae4-96f3-25c93f470606';
const batch = { json: batchView(ID, 'completed') };
const queue = { queue: 'q', status: 'idle', paused: null, startFailure: null, dueAt: null, limits: null };
const none = { count: 0, batches: [] };
const overview = {
  at: '',
  queues: { count: 1, draining: 0, paused: 0, messages: 0, measuredAt: null, batches: 0, items: 0, read: 0 },
  ...{ late: none, atRisk: none, pausedQueues: [], pausedBatches: none, failedReports: none, suspect: none },
  deadLetters: { since: '', count: 0, causes: [], isWhole: true },
  ...{ missedWakes: [], poison: [], stuck: [], inboxRejects: { count: 0, files: [] } },
};
const policy = {
  queue: 'q',
  version: 1,
  policy: { thresholds: [{ tasks: 1 }], capacity: 1, headroom: 0, targetSeconds: 1 },
};
const period = { from: '', to: '', batches: 0, items: 0, totalUsd: 0, usdPerMillionItems: null };
const usd = { work: { usd: 0 }, wakeUps: { usd: 0 }, idle: { usd: 0 } };
const cancellation = { ended: { chunks: 0, items: 0 }, left: { chunks: 0, items: 0 } };
const redriven = { batch: ID, revision: 1, redriven: 1, unreadable: 0, chunks: 1, at: '' };

/** The requests of every command, and the fields of its output that a script may rely on. */
const COMMANDS: readonly [args: string, fields: readonly string[], answers: Record<string, Answer>][] = [
  [`watch ${ID}`, ['id', 'state', 'counts'], { [`GET batches/${ID}`]: batch }],
  [
    'batches',
    ['batches', 'days'],
    {
      'GET batches?limit=50': {
        json: { batches: [], days: { from: '', to: '' }, scanned: { batches: 0, until: null } },
      },
    },
  ],
  [`batches ${ID}`, ['id', 'state', 'counts'], { [`GET batches/${ID}`]: batch }],
  [`results ${ID}`, ['0'], { [`GET batches/${ID}/results?format=ndjson`]: { text: '{"a":1}\n' } }],
  [`results ${ID} --manifest`, ['chunks'], { [`GET batches/${ID}/results?manifest=true`]: { json: { chunks: [] } } }],
  [`report ${ID}`, ['items'], { [`GET batches/${ID}/report?format=json`]: { json: { items: [] } } }],
  [
    `dead-letters ${ID}`,
    ['batch', 'groups'],
    { [`GET batches/${ID}/dead-letters`]: { json: { batch: ID, count: 0, scanned: 0, groups: [], otherCauses: 0 } } },
  ],
  [
    `dead-letters ${ID} --cause c`,
    ['batch', 'cause', 'items'],
    { [`GET batches/${ID}/dead-letters?cause=c&limit=1000`]: { json: { batch: ID, cause: 'c', items: [] } } },
  ],
  [
    'dead-letters --workload w',
    ['groups', 'count', 'otherCauses'],
    {
      'GET dead-letters?workload=w': {
        json: { from: '', to: '', count: 0, groups: [], otherCauses: 0, notScanned: 0 },
      },
    },
  ],
  [
    'history --day 2026-09-24',
    ['days', 'markers', 'sheet'],
    { 'GET history?day=2026-09-24': { json: { from: '', to: '', sheet: '2026', days: [], markers: [] } } },
  ],
  [`items ${ID}`, ['batch', 'items'], { [`GET batches/${ID}/items?limit=100`]: { json: { batch: ID, items: [] } } }],
  [`find ${ID} 7`, ['batch', 'items'], { [`GET batches/${ID}/items/7`]: { json: { position: 7, steps: [] } } }],
  ['inbox', ['files'], { 'GET inbox?limit=50': { json: { files: [] } } }],
  ['inbox retry a.csv', ['name'], { 'POST inbox/retry': { status: 202, json: { name: 'a.csv' } } }],
  ['inbox delete a.csv --yes', ['name', 'deleted'], { 'DELETE inbox?name=a.csv': { status: 204 } }],
  [`open ${ID}`, ['url', 'opened'], {}],
  [`logs ${ID} --logs logs`, ['batch', 'source', 'isCut', 'lines'], {}],
  [
    `redrive ${ID}`,
    ['revision', 'redriven', 'idempotencyKey'],
    { [`POST batches/${ID}/dead-letters/redrive`]: { json: redriven } },
  ],
  [
    `redrive ${ID} --wait`,
    ['id', 'state', 'counts'],
    { [`POST batches/${ID}/dead-letters/redrive`]: { json: redriven }, [`GET batches/${ID}`]: batch },
  ],
  [
    `discard ${ID} --reason test`,
    ['revision', 'discarded', 'idempotencyKey'],
    { [`POST batches/${ID}/dead-letters/discard`]: { json: { batch: ID, revision: 1, discarded: 2, at: '' } } },
  ],
  [
    `cancel ${ID}`,
    ['id', 'cancellation'],
    { [`POST batches/${ID}/cancel`]: { json: { ...batch.json, cancellation } } },
  ],
  [`delete ${ID} --yes`, ['batch', 'deleted'], { [`DELETE batches/${ID}`]: { status: 204 } }],
  ['overview', ['at', 'queues', 'late'], { 'GET overview': { json: overview } }],
  ['queues', ['queues'], { 'GET queues': { json: { queues: [queue] } } }],
  ['queue q', ['queue', 'waves', 'policy'], { 'GET queues/q': { json: { ...queue, depth: 0, waves: [], policy } } }],
  ['pause q', ['queue', 'paused'], { 'POST queues/q/pause': { json: { ...queue, depth: 0 } } }],
  [`pause ${ID}`, ['id', 'state'], { [`POST batches/${ID}/pause`]: batch }],
  ['resume q --since 2026', ['queue', 'paused'], { 'POST queues/q/resume': { json: { ...queue, depth: 0 } } }],
  [
    'clear q --confirm q',
    ['queue', 'batches', 'messages', 'left'],
    { 'POST queues/q/clear': { json: { queue: 'q', batches: 1, messages: 2, left: 0 } } },
  ],
  ['drain q', ['queue', 'paused'], { 'POST queues/q/drain': { json: { ...queue, depth: 0 } } }],
  ['policy q', ['queue', 'version', 'policy'], { 'GET queues/q/policy': { json: policy } }],
  [
    'cost',
    ['day', 'month', 'sheet'],
    {
      'GET cost': {
        json: { sheet: '2026', day: { ...period, ...usd }, month: { ...period, ...usd }, notIncluded: [] },
      },
    },
  ],
  ['audit', ['from', 'to', 'entries'], { 'GET audit?limit=50': { json: { from: '', to: '', entries: [] } } }],
  ['sweep', ['open', 'failed'], { 'POST sweep': { json: noCounts() } }],
  ['health', ['status', 'workloads'], { 'GET health': { json: { status: 'ok', pool: null, workloads: [] } } }],
  [
    'login prod --url http://app.test --key k',
    ['profile', 'url', 'current', 'file'],
    { 'GET batches?limit=1': { json: {} } },
  ],
  ['profiles', ['profiles'], {}],
  ['logout prod', ['profile', 'deleted'], {}],
  ['azure generate', ['pools', 'files'], {}],
  ['--version', ['version'], {}],
];
/**
 * Commands tested elsewhere: uploads need a server (tests/integration/cli), `try` needs a file (try/try.test.ts), and `doctor`
 * an app (doctor/doctor.test.ts).
 */
const ELSEWHERE = ['submit', 'try', 'doctor', 'start', 'dev', 'new-workload', 'package'];

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sluice-json-'));
  writeAppFolder(home);
  await mkdir(join(home, 'logs'));
  await writeFile(join(home, 'logs/host-1.log'), '');
});
afterAll(() => rm(home, { recursive: true, force: true }));

const world = () => ({ folder: home, env: { HOME: home } });

describe('with --json', () => {
  it('is tested with every command', () => {
    const program = createProgram(() => async () => {}, { out: () => {}, err: () => {} });
    const held = new Set([...COMMANDS.map(([args]) => args.split(' ')[0]), ...ELSEWHERE]);
    expect(program.commands.map((command) => command.name()).filter((name) => !held.has(name))).toEqual([]);
  });

  it.each(COMMANDS)('%s prints one JSON document', async (args, fields, answers) => {
    const { code, out } = await run(`${args} --json`, answers, world());
    expect([code, out.endsWith('\n') || args.startsWith('report') || args.includes('manifest')]).toEqual([
      EXIT.done,
      true,
    ]);
    const value = JSON.parse(out);
    expect(Object.keys(value)).toEqual(expect.arrayContaining([...fields]));
    if (args.startsWith('login') || args.startsWith('logout')) return;
    expect((await run(`${args} -o json`, answers, world())).out).toBe(out);
  });

  it.each(COMMANDS.filter(([, , answers]) => Object.keys(answers).length > 0))(
    '%s reports a fault as one JSON document on standard error',
    async (args, _fields, answers) => {
      const broken = Object.fromEntries(Object.keys(answers).map((path) => [path, connectionFault('ECONNREFUSED')]));
      const { code, out, err } = await run(`${args} --json --quiet`, broken, world());
      expect([code, out]).toEqual([EXIT.failed, '']);
      expect(JSON.parse(err)).toMatchObject({ error: { exitCode: EXIT.failed, message: expect.any(String) } });
    },
  );

  it.each([
    ['', 'expected a command'],
    ['frobnicate', "unknown command 'frobnicate'"],
    ['watch', "missing required argument 'id'"],
    ['batches --limit 0', 'whole number from 1'],
    ['batches --stat x', "unknown option '--stat'"],
    ['delete a', 'expected --yes'],
    ['batches --url nowhere', '--url: expected an address'],
  ])('prints a usage error as JSON: "%s"', async (args, message) => {
    for (const form of ['--json', '-o json', '--output=json']) {
      const { code, out, err } = await run(`${args} ${form}`);
      expect([code, out]).toEqual([EXIT.usage, '']);
      expect(JSON.parse(err)).toEqual({
        error: expect.objectContaining({ exitCode: EXIT.usage, message: expect.stringContaining(message) }),
      });
    }
  });
});
