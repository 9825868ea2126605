import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../../cli/exit-codes.ts';
import type { BatchView } from '../../../../shared/http/batches/schemas.ts';
import type { Overview } from '../../../../shared/http/overview/schemas.ts';
import type { QueueView } from '../../../../shared/http/queues/schemas.ts';
import { ROUTES } from '../../../../shared/http/routes.ts';
import { noCounts } from '../../../../shared/sweep/counts.ts';
import { type Answer, batchView, KEYS, run } from '../world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const BATCH = '01985a00-0000-7000-8000-000000000000';
const POLICY = { thresholds: [{ tasks: 100 }], capacity: 100, headroom: 0.25, targetSeconds: 10 };
const policyView = { queue: 'q', version: 4, policy: POLICY };
const letter = { line: 2, chunk: '000000', cause: 'c', index: 1, reason: 'invalid', attempts: [], version: 1 };

describe('the routes', () => {
  it.each([
    ['watch b', 'GET batches/{id}'],
    ['batches', 'GET batches'],
    ['results b', 'GET batches/{id}/results'],
    ['report b', 'GET batches/{id}/report'],
    ['dead-letters b', 'GET batches/{id}/dead-letters'],
    ['dead-letters --label a=b', 'GET dead-letters'],
    ['history', 'GET history'],
    ['items b', 'GET batches/{id}/items'],
    ['find b 7', 'GET batches/{id}/items/{position}'],
    ['find b --id x', 'GET batches/{id}/items'],
    ['redrive b', 'POST batches/{id}/dead-letters/redrive'],
    ['discard b --reason x', 'POST batches/{id}/dead-letters/discard'],
    ['cancel b', 'POST batches/{id}/cancel'],
    ['delete b --yes', 'DELETE batches/{id}'],
    ['inbox', 'GET inbox'],
    ['inbox retry a.csv', 'POST inbox/retry'],
    ['inbox delete a.csv --yes', 'DELETE inbox'],
    ['overview', 'GET overview'],
    ['queues', 'GET queues'],
    ['queue q', 'GET queues/{queue}'],
    ['pause q', 'POST queues/{queue}/pause'],
    ['resume q', 'POST queues/{queue}/resume'],
    [`pause ${BATCH}`, 'POST batches/{id}/pause'],
    [`resume ${BATCH}`, 'POST batches/{id}/resume'],
    ['clear q --confirm q', 'POST queues/{queue}/clear'],
    ['drain q', 'POST queues/{queue}/drain'],
    ['policy q', 'GET queues/{queue}/policy'],
    ['policy q --put -', 'PUT queues/{queue}/policy'],
    ['cost', 'GET cost'],
    ['audit', 'GET audit'],
    ['sweep', 'POST sweep'],
    ['health', 'GET health'],
  ])('of "%s" are called with the key of their audience', async (args, expected) => {
    const route = ROUTES.find((each) => `${each.method} ${each.route}` === expected);
    const keys = { client: KEYS.SLUICE_KEY, operator: KEYS.SLUICE_OPERATOR_KEY, anyone: null };

    const { asked } = await run(args, {}, { stdin: JSON.stringify(POLICY) });

    const id = args.includes(BATCH) ? BATCH : 'b';
    const path = expected.replace('{id}', id).replace('{queue}', 'q').replace('{position}', '7');
    expect(asked.map(({ method, path: at, key }) => [`${method} ${at.split('?')[0]}`, key])).toEqual([
      [path, keys[route?.audience ?? 'anyone']],
    ]);
  });

  it('are called with --key whatever the environment says, and with the client key if there is no other', async () => {
    expect((await run('queues --key mine')).asked[0]?.key).toBe('mine');
    expect((await run('queues', {}, { env: { SLUICE_OPERATOR_KEY: '' } })).asked[0]?.key).toBe(KEYS.SLUICE_KEY);
  });

  it('name the operator in a request that changes something, if one is given', async () => {
    const operatorOf = async (args: string[], env = {}) =>
      (await run(args, {}, { env })).asked[0]?.headers.get('sluice-operator');

    expect(await operatorOf(['pause', 'q', '--operator', 'Zoë'])).toBe('Zo%C3%AB');
    expect(await operatorOf(['pause', 'q'], { SLUICE_OPERATOR: 'Ada' })).toBe('Ada');
    expect(await operatorOf(['pause', 'q'])).toBeNull();
    expect(await operatorOf(['queues', '--operator', 'Ada'])).toBeNull();
  });

  it('take a name as a name, whatever is in it', async () => {
    expect((await run('watch ../queues?x')).asked[0]?.path).toBe('batches/..%2Fqueues%3Fx');
  });
});

describe('find', () => {
  const item = {
    ...{ batch: 'b', position: 7, line: 9, state: 'succeeded', item: { id: 'x' }, result: { id: 'x', net: '1.50' } },
    steps: [
      { chunk: '000000', revision: 0, end: 'retried', at: '2026-11-01T10:00:00Z', attempts: 1, error: '503' },
      { chunk: '000000.r1', revision: 0, end: 'succeeded', at: '2026-11-01T10:00:05Z', attempts: 1 },
    ],
  };
  const answers = { 'GET batches/b/items/7': { json: item } };

  it('shows where an item ran, and its result', async () => {
    const { code, out } = await run('find b 7', answers);
    expect(code).toBe(EXIT.done);
    expect(out.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'Item 7, line 9 of the upload: succeeded',
      'Uploaded: {"id":"x"}',
      'chunk | ended as | at | failed attempts | error',
      expect.stringMatching(/^000000 \| retried \| .* \| 1 \| 503$/),
      expect.stringMatching(/^000000\.r1 \| succeeded \| .* \| 1$/),
      'Result: {"id":"x","net":"1.50"}',
      '',
    ]);
  });

  it('looks for an id from page to page', async () => {
    const page = (from: number, positions: number[], headers = {}) => ({
      json: { batch: 'b', id: 'x', positions, lookedAt: { from, items: 5 } },
      headers,
    });
    const pages = {
      'GET batches/b/items?itemId=x': page(0, [], { link: '</api/batches/b/items?itemId=x&from=5>; rel="next"' }),
      'GET batches/b/items?itemId=x&from=5': page(5, [7]),
    };
    expect((await run('find b --id x --json', { ...answers, ...pages })).out).toBe(
      `${JSON.stringify({ batch: 'b', items: [item] })}\n`,
    );
    const none = await run('find b --id y', { 'GET batches/b/items?itemId=y': page(0, []) });
    expect([none.code, none.err]).toEqual([
      EXIT.notFound,
      expect.stringContaining('No item of batch b has the id "y"'),
    ]);
  });

  it('takes a position or an id', async () => {
    expect((await run('find b')).code).toBe(EXIT.usage);
    expect((await run('find b 7 --id x')).code).toBe(EXIT.usage);
    expect((await run('find b x')).code).toBe(EXIT.usage);
  });
});

describe('items', () => {
  const item = (position: number, more: object = {}) => ({ position, state: 'succeeded', attempts: 0, ...more });
  const dead = item(7, { id: 'a.jpg', state: 'dead', attempts: 2, error: 'no image' });
  const pages = {
    'GET batches/b/items?limit=3': {
      json: { batch: 'b', items: [item(0, { id: 'x' }), item(1)] },
      headers: { link: '</api/batches/b/items?limit=3&from=2>; rel="next"' },
    },
    'GET batches/b/items?limit=3&from=2': {
      json: { batch: 'b', items: [dead, item(8)] },
      headers: { link: '</api/batches/b/items?limit=3&from=9>; rel="next"' },
    },
  };

  it('shows the states page by page, up to the limit, and how to go on', async () => {
    const { code, out, err, asked } = await run('items b --limit 3', pages);
    expect(code).toBe(EXIT.done);
    expect(out.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '))).toEqual([
      'position | id | state | failed attempts | error',
      ...['0 | x | succeeded | 0', '1 | succeeded | 0', '7 | a.jpg | dead | 2 | no image', ''],
    ]);
    expect([err, asked.length]).toEqual(['Stopped after 3. To go on: --from 8\n', 2]);
  });

  it('passes on what is asked for, and shows results', async () => {
    const result = { widths: [320], bytes: 7 };
    const { out, err } = await run('items b --state succeeded --from 4 --results -o csv', {
      'GET batches/b/items?state=succeeded&from=4&results=true&limit=100': {
        json: { batch: 'b', items: [item(5, { result })] },
      },
    });
    expect([out, err]).toEqual([
      'position,id,state,attempts,error,result\r\n5,,succeeded,0,,"{""widths"":[320],""bytes"":7}"\r\n',
      '',
    ]);
    expect((await run('items b', { 'GET batches/b/items?limit=100': { json: { batch: 'b', items: [] } } })).out).toBe(
      'No such items.\n',
    );
  });
});

describe('clear', () => {
  it('clears a queue that is named twice, and says what is left', async () => {
    const cleared = { json: { queue: 'q', batches: 1_200, messages: 2, left: 1 } };
    const { code, out, asked } = await run('clear q --confirm q', { 'POST queues/q/clear': cleared });
    expect([code, asked[0]?.body]).toEqual([EXIT.done, { confirm: 'q' }]);
    expect(out).toMatch(/^q: 2 messages deleted; batches cancelled: 1,200\nLeft: 1 message,.* Repeat the command/);
  });

  it('asks for nothing when the second name is another', async () => {
    const { code, err, asked } = await run('clear q --confirm r');
    expect([code, err, asked]).toEqual([
      EXIT.usage,
      expect.stringContaining('expected q, got r. Nothing was cleared.'),
      [],
    ]);
  });
});

describe('watch', () => {
  const look = (...answers: Answer[]) => ({ 'GET batches/b': answers });
  const running = { json: batchView('b', 'running') };

  it.each([
    ['completed', EXIT.done],
    ['completedWithDeadLetters', EXIT.deadLetters],
    ['cancelled', EXIT.cancelled],
    ['reportFailed', EXIT.reportFailed],
    ['suspect', EXIT.suspect],
  ] as const)('ends with what became of the batch: %s', async (state, exit) => {
    const { code, out } = await run('watch b', look(running, { json: batchView('b', state) }));
    expect([code, out]).toEqual([exit, expect.stringContaining(`State: ${state}\n`)]);
    expect(out).toContain('Cost: 0.000010 USD by the price sheet 2026; one message per item: 0.00010 USD');
  });

  it('says what is wrong with a suspect batch, with the causes and an example', async () => {
    const cause = 'invalid: InvalidItem: id: Required';
    const suspect = {
      causes: [
        { cause, count: 24_999, example: { position: 1_234, message: 'id: Required' } },
        { cause: 'invalid: InvalidItem: n: Too small', count: 1 },
      ],
      hint: 'Look at the header.',
      command: 'sluice try usage.csv --workload billing',
    };
    const revisions = [{ revision: 0, items: 25_000 }] as BatchView['revisions'];
    const json = batchView('b', 'suspect', { suspect, revisions });

    const { code, out } = await run('watch b', look({ json }));

    expect(code).toBe(9);
    expect(out.split('\n').slice(0, 7)).toEqual([
      'State: suspect',
      'Suspect: none of the first 1,000 items is valid. The file or the schema is probably wrong.',
      `  24,999 items: ${cause}`,
      '    for example at position 1,234: id: Required',
      '  1 item: invalid: InvalidItem: n: Too small',
      'Look at the header.',
      'See what is wrong: sluice try usage.csv --workload billing',
    ]);
  });

  it.each([
    ['of the items', [{ revision: 0, items: 1_000 }]],
    [
      'of the redriven items',
      [
        { revision: 0, items: 25_000 },
        { revision: 1, items: 3 },
      ],
    ],
    [
      'of the first 1,000 redriven items',
      [
        { revision: 0, items: 25_000 },
        { revision: 1, items: 1_001 },
        { revision: 2, items: 0 },
        { revision: 3, items: 2, kind: 'discard' },
      ],
    ],
  ])('says that none %s is valid', async (which, revisions) => {
    const json = batchView('b', 'suspect', {
      suspect: { causes: [], hint: '', command: '' },
      revisions: revisions as BatchView['revisions'],
    });
    expect((await run('watch b', look({ json }))).out).toContain(`Suspect: none ${which} is valid. The file`);
  });

  it('says what may be the cause of dead letters', async () => {
    const json = batchView('b', 'completedWithDeadLetters', { hint: 'Each cell of this CSV upload is text.' });
    expect((await run('watch b', look({ json }))).out).toContain('\nEach cell of this CSV upload is text.\n');
  });

  it('says that the batch is paused, and goes on watching it', async () => {
    const why = { by: 'halt', reason: '6 of 10 items are dead letters', since: '2026-11-01T10:00:00.000Z' } as const;
    const paused = { json: batchView('b', 'paused', { paused: why }) };

    const { code, err } = await run('watch b', look(paused, paused, { json: batchView('b', 'completed') }));

    expect(code).toBe(EXIT.done);
    const line =
      'Paused since 2026-11-01 10:00:00 UTC by the halt rule of its workload: 6 of 10 items are dead letters';
    const choice = 'To go on: sluice resume b; to end it: sluice cancel b';
    expect(err.split(`${line}\n${choice}\n`)).toHaveLength(2);
  });

  it('prints once why the batch waits, in full', async () => {
    const reason = `paused by the circuit: No thread could begin: ${'x'.repeat(200)}`;
    const blocked = { queue: 'billing-normal-0', since: '2026-11-01T10:00:00.000Z', reason };
    const waiting = { json: batchView('b', 'queued', { blocked }) };

    const { code, err } = await run('watch b', look(waiting, waiting, { json: batchView('b', 'completed') }));

    expect(code).toBe(EXIT.done);
    const line = `Waits since 2026-11-01 10:00:00 UTC: queue billing-normal-0: ${reason}\n`;
    expect(err.split(line)).toHaveLength(2);
  });

  it('prints each failure in a running chunk once, also over a look without one', async () => {
    const progress = { chunks: 1, items: 10, ended: 3, inFlight: 2, failing: 1, at: '2026-11-01T10:00:00.000Z' };
    const failing = (latestError: string): Answer => ({
      json: batchView('b', 'running', { progress: { ...progress, latestError } }),
    });
    const looks = [failing('Error: a'), running, failing('Error: a'), failing('Error: b')];

    const { err } = await run('watch b', look(...looks, { json: batchView('b', 'completed') }));

    expect(err.match(/^Latest failure: .*$/gm)).toEqual(['Latest failure: Error: a', 'Latest failure: Error: b']);
  });

  it('cannot write to the terminal by the reason for which the batch waits', async () => {
    const blocked = { queue: 'q', since: '2026-11-01T10:00:00.000Z', reason: '\u001b[2Jx\nState: completed' };
    const waiting = { json: batchView('b', 'queued', { blocked }) };
    const { out, err } = await run('watch b', look(waiting, { json: batchView('b', 'completed', { blocked }) }));
    const shown = 'queue q: \\x1b[2Jx\n        State: completed\n';
    expect([out, err]).toEqual([expect.stringContaining(shown), expect.stringContaining(shown)]);
  });

  it('ends with 7 when the time is over', async () => {
    const { code, err, sleptMs } = await run('watch b --timeout 2', look(running));
    expect([code, err]).toEqual([EXIT.timeout, expect.stringContaining('Not finished after 2 s; it goes on.')]);
    expect(sleptMs).toEqual([500, 500, 500, 500]);
  });

  it('prints the batch with --json', async () => {
    const batch = batchView('b', 'completed');
    expect(JSON.parse((await run('watch b --json', look({ json: batch }))).out)).toEqual(batch);
  });
});

describe('batches', () => {
  const entry = (id: string) => ({
    ...{ id, workload: 'billing', lane: 'normal', state: 'running', accepted: 1_000, dead: 0, pending: 4 },
    ...{ createdAt: '2026-11-01T10:00:00.123Z', completedAt: null, links: {} },
  });
  const days = { from: '2026-10-26', to: '2026-11-01' };
  const next = { link: '</api/batches?after=b2&limit=3>; rel="next"' };

  it('are listed over pages, as many as are asked for', async () => {
    const { out, asked } = await run('batches --limit 3 --state running --workload billing', {
      'GET batches?state=running&workload=billing&limit=3': {
        ...{ json: { batches: [entry('b1'), entry('b2')], days }, headers: next },
      },
      'GET batches?after=b2&limit=3': { json: { batches: [entry('b3'), entry('b4')], days }, headers: next },
    });
    expect(asked).toHaveLength(2);
    expect(out.split('\n')).toEqual([
      '  batch  workload  lane    state    items  pending  dead  created              ended',
      '  b1     billing   normal  running  1,000        4     0  2026-11-01 10:00:00',
      '  b2     billing   normal  running  1,000        4     0  2026-11-01 10:00:00',
      '  b3     billing   normal  running  1,000        4     0  2026-11-01 10:00:00',
      '',
    ]);
  });

  it('are searched to the end over pages that may be empty, and it is said how far', async () => {
    const path = 'batches?search=sept+2&after=b9&limit=50';
    const until = '2026-10-25T10:00:00.000Z';
    const { out, err } = await run("batches --search 'sept 2' --json", {
      'GET batches?search=sept+2&limit=50': {
        json: { batches: [], days, lookedAt: { batches: 2_000, until: '2026-10-26T10:00:00.000Z' } },
        headers: { link: `</api/${path}>; rel="next"` },
      },
      [`GET ${path}`]: {
        json: {
          batches: [entry('b1')],
          days: { from: '2026-10-20', to: '2026-10-26' },
          lookedAt: { batches: 7, until },
        },
      },
    });
    expect(JSON.parse(out)).toEqual({
      batches: [entry('b1')],
      days: { from: '2026-10-20', to: '2026-11-01' },
      lookedAt: { batches: 2_007, until },
    });
    expect(err).toBe('Batches looked at: 2,007, back to 2026-10-25 10:00:00 UTC.\n');
  });

  it('may be none', async () => {
    const { out } = await run('batches', { 'GET batches?limit=50': { json: { batches: [], days } } });
    expect(out).toBe('No batches from 2026-10-26 to 2026-11-01.\n');
  });
});

describe('a download', () => {
  const pages = {
    'GET batches/b/results?format=ndjson': {
      ...{
        text: '1\n',
        headers: { link: '</api/batches/b/results?from=1>; rel="next"', 'sluice-batch-state': 'running' },
      },
    },
    'GET batches/b/results?from=1': { text: '2\n', headers: { 'sluice-batch-state': 'running' } },
  };

  it('puts all pages together, and says when it is not all', async () => {
    const { out, err } = await run('results b', { ...pages });
    expect([out, err]).toEqual(['1\n2\n', 'The batch is running: this is what there is so far.\n']);
  });

  it('into a file leaves nothing half', async () => {
    expect((await run('results b --out r.ndjson', { ...pages }, { folder })).code).toBe(EXIT.done);
    expect(await readFile(join(folder, 'r.ndjson'), 'utf8')).toBe('1\n2\n');
    const broken = { ...pages, 'GET batches/b/results?from=1': { status: 500 } };
    expect((await run('results b --out half.ndjson', broken, { folder })).code).toBe(EXIT.failed);
    expect((await readdir(folder)).filter((name) => name.startsWith('half'))).toEqual([]);
  });

  it('of a report as a table cannot write to the terminal', async () => {
    const row = '{"key":"a\\u001b[2J","value":"1\\n  b  2"}\n';
    const { out } = await run('report b', { 'GET batches/b/report?format=ndjson': { text: row } });
    expect(out).toContain('a\\x1b[2J  1\n          b  2\n');
  });

  it('of a report is a table, CSV, NDJSON, or JSON', async () => {
    const row = { text: '{"key":"a","value":{"n":1}}\n' };
    const answers = {
      'GET batches/b/report?format=ndjson': row,
      'GET batches/b/report?revision=2&format=csv': { text: 'x' },
    };
    expect((await run('report b', answers)).out).toBe('  key  n\n  a    1\n');
    expect((await run('report b --format ndjson', answers)).out).toBe(row.text);
    expect((await run('report b --format csv --revision 2', answers)).out).toBe('x');
    const json = await run('report b --json', { 'GET batches/b/report?format=json': { text: '{}' } });
    expect(json.out).toBe('{}');
  });
});

describe('dead letters', () => {
  const error = { name: 'E', message: 'm' };
  const groups = {
    batch: 'b',
    count: 3,
    groups: [{ cause: 'c', reason: 'invalid', count: 3, example: { ...letter, error, item: 7 } }],
  };

  it('are shown by cause', async () => {
    const { out } = await run('dead-letters b', {
      'GET batches/b/dead-letters': { json: { ...groups, otherCauses: 0 } },
    });
    expect(out).toBe('3 dead letters of b\n\n3 x c\n  line 2, index 1, invalid: m\n  7\n');
  });

  it('cannot write to the terminal, nor forge a line', async () => {
    const hostile = {
      ...{ name: 'E', message: '\u001b]0;title\u0007boom\n9 x fake', code: '\u009b2J' },
      stack: ['f\r (w.ts:1:2)'],
    };
    const example = { ...letter, error: hostile, item: 'a\u009b\u007fb\u0085' };
    const answers = {
      'GET batches/b/dead-letters': {
        json: { ...groups, groups: [{ ...groups.groups[0], cause: 'c\u001bc', example }], otherCauses: 0 },
      },
      'GET batches/b/dead-letters?format=ndjson': { text: '"\u009b"\n' },
    };
    expect((await run('dead-letters b', answers)).out).toBe(
      [
        '3 dead letters of b\n',
        '3 x c\\x1bc',
        '  line 2, index 1, invalid: \\x1b]0;title\\x07boom',
        '        9 x fake (\\x9b2J)',
        '    at f\\x0d (w.ts:1:2)',
        '  "a\\x9b\\x7fb\\x85"\n',
      ].join('\n'),
    );
    expect(JSON.parse((await run('dead-letters b --json', answers)).out).groups[0].example).toEqual(example);
    expect((await run('dead-letters b --format ndjson', answers)).out).toBe('"\u009b"\n');
  });

  it('are shown with their issues, or where they were thrown and what caused them', async () => {
    const errors = [
      {
        ...error,
        issues: [
          { path: 'a.b', message: 'one' },
          { path: '', message: 'two' },
        ],
        moreIssues: 3,
      },
      { ...error, code: 'E1', stack: ['f (w.ts:1:2)'], causes: [{ name: 'C', message: 'deep', stack: ['w.ts:9:9'] }] },
      { ...error, issues: [{ path: '', message: 'm' }] },
    ];
    const { out } = await run('dead-letters b --cause c', {
      'GET batches/b/dead-letters?cause=c&limit=1000': {
        json: { batch: 'b', cause: 'c', items: errors.map((one) => ({ ...letter, error: one })) },
      },
    });
    expect(out.trimEnd().split('\n')).toEqual([
      'line 2, index 1, invalid: m',
      '  a.b: one',
      '  two',
      '  and 3 more issues',
      'line 2, index 1, invalid: m (E1)',
      '  at f (w.ts:1:2)',
      '  caused by C: deep',
      '    at w.ts:9:9',
      'line 2, index 1, invalid: m',
    ]);
  });

  it('of a cause are shown one by one, over pages', async () => {
    const page = { batch: 'b', cause: 'c', items: [{ ...letter, error }] };
    const { out } = await run('dead-letters b --cause c', {
      'GET batches/b/dead-letters?cause=c&limit=1000': {
        ...{ json: page, headers: { link: '</api/batches/b/dead-letters?cause=c&after=1>; rel="next"' } },
      },
      'GET batches/b/dead-letters?cause=c&after=1': { json: page },
    });
    expect(out).toBe('line 2, index 1, invalid: m\n'.repeat(2));
  });

  it('of many batches are a table of causes', async () => {
    const group = { cause: 'rejected: Error: no', workload: 'billing', count: 1_200, moreBatches: 3 };
    const dead = {
      ...{ from: '2026-09-18', to: '2026-09-24', count: 1_207, otherCauses: 7, lookedAt: 9, notLookedAt: 2 },
      groups: [{ ...group, batches: [{ id: 'b1', state: 'completedWithDeadLetters', createdAt: '', count: 900 }] }],
    };
    const causes = await run('dead-letters --from 2026-09-18', { 'GET dead-letters?from=2026-09-18': { json: dead } });
    expect(causes.out).toMatch(
      /dead +workload +batches +newest batch +cause\n +1,200 +billing +4 +b1 +rejected: Error: no\n/,
    );
    expect(causes.err).toContain('7 dead letters of other causes\nNot looked at: 2 unfinished batches');
  });
});

it('the history is a table of days', async () => {
  const day = {
    ...{ day: '2026-09-24', workload: 'billing', batches: 2, items: 5_000, dead: 7, discarded: 0, deadlinesMissed: 1 },
    ...{ latencyP95Ms: 41_200, deadlineMs: null, itemsPerSecond: 6_120.4, operations: 99, usd: 0.5 },
  };
  const { out } = await run('history', { 'GET history': { json: { from: '', to: '', days: [day] } } });
  expect(out).toMatch(/2026-09-24 +billing +2 +5,000 +7 +0 +1 +41\.2 s +6,120 +99 +0\.50 USD\n/);
});

it('discards dead letters with a reason and a key, and says how many', async () => {
  const path = 'POST batches/b/dead-letters/discard';
  const answer = { status: 202, json: { batch: 'b', revision: 1, discarded: 2, at: '' } };

  const { asked, out, err } = await run("discard b --reason 'test orders' --items 3,1", { [path]: answer });

  expect(asked[0]?.body).toEqual({ key: 'random-id', reason: 'test orders', items: [3, 1] });
  expect(err).toBe('Idempotency key: random-id\n');
  expect(out).toBe('2 dead letters discarded, in revision 1\n');
});

describe('redrive', () => {
  const path = 'POST batches/b/dead-letters/redrive';
  const answer = { status: 202, json: { batch: 'b', revision: 1, redriven: 2, unreadable: 1, chunks: 1, at: '' } };

  it('always has a key, and says how many dead letters stay', async () => {
    const { asked, out, err } = await run("redrive b --cause 'c d' --rate 5", { [path]: answer });
    expect(asked[0]?.body).toEqual({ key: 'random-id', cause: 'c d', ratePerSecond: 5 });
    expect(err).toBe('Idempotency key: random-id\n');
    expect(out).toContain('2 items to run again, in revision 1\n1 stay dead letters');
  });

  it('asks for the report alone, and ends with what became of it', async () => {
    const batch = batchView('b', 'reportFailed', {
      reportRevision: null,
      reportProblem: 'The merge of key "k" failed',
    });
    const { asked, code, out, err } = await run('redrive b --report --wait', {
      [path]: { ...answer, json: { ...answer.json, redriven: 0, unreadable: 0, chunks: 0 } },
      'GET batches/b': { json: batch },
    });
    expect(asked[0]?.body).toEqual({ key: 'random-id', report: true });
    expect(err).toContain('The report is made again, in revision 1\n');
    expect(out).toContain(
      'No report: The merge of key "k" failed\nTo make it again, after a deployment: sluice redrive b',
    );
    expect(code).toBe(EXIT.reportFailed);
  });

  it.each(['--cause c', '--items 1', '--corrected -', '--patch {}', '--rate 1'])(
    'refuses --report with %s',
    async (other) => {
      const { code, err, asked } = await run(`redrive b --report ${other}`);
      expect([code, err, asked]).toEqual([EXIT.usage, expect.stringContaining('--report: goes with none of'), []]);
    },
  );

  it('changes the same fields in all, and keeps the digits of numbers', async () => {
    const { asked } = await run(['redrive', 'b', '--patch', '{"price":1.10,"old":null}', '--idempotency-key', 'k'], {
      [path]: answer,
    });
    expect(asked[0]?.text).toBe('{"key":"k","patch":{"price":1.10,"old":null}}');
  });

  it('reads corrected items from dead letters as they were fetched', async () => {
    const stdin = `${JSON.stringify({ ...letter, item: { id: 'x' } })}\n\n${JSON.stringify({ index: 9, item: null })}\n`;
    const { asked } = await run(
      'redrive b --corrected - --items 3 --idempotency-key mine',
      { [path]: answer },
      { stdin },
    );
    const corrected = [
      { index: 1, item: { id: 'x' } },
      { index: 9, item: null },
    ];
    expect(asked[0]?.body).toEqual({ key: 'mine', items: [3], corrected });
  });

  it.each([
    ['{"index":1}\n', 'line 1: expected {"index": …, "item": …}'],
    ['\n{', 'line 2: expected JSON'],
    ['\n', 'has no lines'],
  ])('says where %j is wrong', async (stdin, message) => {
    const { code, err, asked } = await run('redrive b --corrected -', {}, { stdin });
    expect([code, err, asked]).toEqual([EXIT.usage, expect.stringContaining(message), []]);
  });
});

describe('queue', () => {
  const view = {
    queue: 'q',
    status: 'draining',
    depth: 40,
    paused: null,
    startFailure: null,
    dueAt: null,
    limits: null,
  };
  const wave = {
    ...{ at: '2026-11-01T10:00:00.000Z', seconds: 12.3, depth: 4_000, tasks: 20, bound: 'saturation', late: true },
    ...{ done: 300, items: 30_000, throttled: 0, secondsPerReference: 0.2 },
  };

  it('shows its latest waves, and what has bounded their tasks', async () => {
    const json = { ...view, policy: policyView, waves: [{ ...wave, late: false, bound: 'rule' }, wave] };
    const { out, asked } = await run('queue q --fresh', { 'GET queues/q?fresh=true': { json } });
    expect(asked[0]?.key).toBe(KEYS.SLUICE_OPERATOR_KEY);
    expect(out.split('\n')).toEqual([
      'q: draining, depth 40',
      'Policy: version 4',
      '  ended                took    depth  tasks  done  items   throttled  bound',
      '  2026-11-01 10:00:00  12.3 s  4,000     20   300  30,000          0  rule',
      '  2026-11-01 10:00:00  12.3 s  4,000     20   300  30,000          0  saturation, late',
      '',
    ]);
  });

  it('may have had no wave', async () => {
    const json = { ...view, policy: { ...policyView, version: 0 }, waves: [] };
    const { out } = await run('queue q', { 'GET queues/q': { json } });
    expect(out).toBe('q: draining, depth 40\nPolicy: the default\nNo waves yet.\n');
  });
});

describe('overview', () => {
  const none = { count: 0, batches: [] };
  const well: Overview = {
    at: '2026-11-22T14:04:00.123Z',
    queues: { count: 3, draining: 1, paused: 0, messages: 7, measuredAt: null, batches: 1, items: 900, read: 1 },
    ...{ late: none, atRisk: none, pausedQueues: [], pausedBatches: none, failedReports: none, suspect: none },
    deadLetters: { since: '2026-11-21T14:04:00.123Z', count: 0, causes: [], isWhole: true },
    ...{ missedWakes: [], poison: [], stuck: [], inboxRejects: { count: 0, files: [] } },
  };
  const shown = async (answer: Overview) => (await run('overview', { 'GET overview': { json: answer } })).out;

  it('says that nothing needs anybody', async () => {
    expect(await shown(well)).toBe(
      '3 queues, 1 draining, 0 paused: 7 messages; 1 open batch with 900 pending items\nNothing needs you.\n',
    );
  });

  it('says what is wrong, how often and since when, and nothing of what is not', async () => {
    const since = '2026-11-22T14:03:00.123Z';
    const batch = { id: BATCH, workload: 'billing', lane: 'normal', since, items: 900 };
    const out = await shown({
      ...well,
      late: { count: 21, batches: [{ ...batch, file: 'usage.csv' }] },
      pausedBatches: { count: 1, batches: [{ ...batch, by: 'halt', reason: 'too many' }] },
      deadLetters: {
        ...well.deadLetters,
        count: 12,
        causes: [{ cause: 'timeout', workload: 'billing', count: 11, batches: 1, newest: BATCH }],
      },
    });
    expect(out.split('\n').slice(1, -1)).toEqual([
      'Late batches: 21',
      `  ${BATCH}  billing/normal  since 2026-11-22 14:03:00  900 items  usage.csv`,
      'Paused batches: 1',
      expect.stringMatching(/900 items .* by halt: too many$/),
      'Dead letters since 2026-11-21 14:04:00 UTC: 12',
      `  11  billing  timeout  ${BATCH}`,
    ]);
  });
});

describe('queues', () => {
  const rateLimit = { calls: 200, perSeconds: 60 };
  const none = { rateLimit: null, maxConcurrency: null, lowered: null, heldUntil: null, holders: 0, waiting: null };
  const queue = (limits: QueueView['limits'] | undefined): Partial<QueueView> => ({
    ...{ queue: 'mail-normal-0', status: 'idle', paused: null, startFailure: null, dueAt: null, taskLimit: 0 },
    ...{ depth: 7, active: 0, total: 3, itemsPerSecond: 0, ...(limits === undefined ? {} : { limits }) },
  });
  const at = (time: string): string => `2026-11-22T${time}.123Z`;

  it.each<[string, QueueView['limits'] | undefined]>([
    ['idle', undefined],
    ['idle', null],
    ['idle, rate limit 200 calls/60 s', { ...none, rateLimit }],
    [
      'idle, rate limit 200 calls/60 s, lowered to 5 % since 2026-11-22 14:03:00 (throttled), ' +
        'nothing starts until 2026-11-22 14:03:30 (throttled), shared by 2 processes',
      {
        ...{ ...none, rateLimit, lowered: { factor: 0.05, since: at('14:03:00') } },
        ...{ heldUntil: at('14:03:30'), holders: 2 },
      },
    ],
    [
      'waits for a share since 2026-11-22 14:03:00, due 2026-11-22 14:03:06, rate limit 1 item/1 s, ' +
        'at most 1,000 items in flight, shared by 1 process',
      {
        ...{ ...none, rateLimit: { items: 1, perSeconds: 1 }, maxConcurrency: 1_000, holders: 1 },
        waiting: { since: at('14:03:00'), until: at('14:03:06') },
      },
    ],
  ])('shows limits and what the queue waits for: %s', async (state, limits) => {
    const { out, code } = await run('queues', { 'GET queues': { json: { queues: [queue(limits)] } } });
    expect([out.split('\n')[1]?.replace(/^.* {2}(?=idle|waits)/, ''), code]).toEqual([state, EXIT.done]);
  });

  it('shows with --wide what the instances of the last wave measured, and nothing where none has', async () => {
    const load = { instances: 3, cpu: 0.854, eventLoop: 0.2, responseMs: 12.4, latencyMs: 1_500 };
    const unaged = { ...load, latencyMs: 0 };
    const queues = [...[load, unaged, null].map((each) => ({ ...queue(null), load: each })), queue(undefined)];
    const { out } = await run('queues --wide', { 'GET queues': { json: { queues } } });
    expect(out.split('\n').map((line) => line.slice(line.search(/items\/s|0 {8}/)))).toEqual([
      'items/s  task limit  instances  cpu   event loop  response  latency  state',
      '0                      3  85 %  20 %        12 ms     1.50 s   idle',
      '0                      3  85 %  20 %        12 ms              idle',
      '0                                                              idle',
      '0                                                              idle',
      '',
    ]);
  });
});

describe('operating', () => {
  it('changes one number of the policy that was read, and only of that', async () => {
    const { asked, code } = await run('policy q --capacity 20', {
      'GET queues/q/policy': { json: policyView },
      'PUT queues/q/policy': { status: 412, json: { title: 'It was changed', type: 'x/precondition-failed' } },
    });
    expect(asked[1]).toMatchObject({ method: 'PUT', body: { ...POLICY, capacity: 20 } });
    expect([asked[1]?.headers.get('if-match'), code]).toEqual(['"4"', EXIT.refused]);
  });

  it('clears what may be absent from a policy with none, and shows what is there', async () => {
    const stored = { ...POLICY, receiveSize: 8, receiveIntervalMs: 2_000, notifyFrom: 500 };
    const { asked, out } = await run('policy q --receive-size 4 --receive-interval none --notify-from none', {
      'GET queues/q/policy': { json: { ...policyView, policy: stored } },
      'PUT queues/q/policy': { json: { ...policyView, policy: stored } },
    });
    expect(asked[1]?.body).toEqual({ ...POLICY, receiveSize: 4 });
    expect(out.split('\n').slice(-4)).toEqual([
      '  receive size      at most 8 messages',
      '  receive interval  at least 2,000 ms',
      '  notify from       500 messages in the queue',
      '',
    ]);
  });

  it('puts back the policy that the present one has replaced, and says when there is none', async () => {
    const previous = { ...POLICY, capacity: 7 };
    const { asked, code } = await run('policy q --undo', {
      'GET queues/q/policy': { json: { ...policyView, previous } },
      'PUT queues/q/policy': { json: { ...policyView, version: 5, policy: previous, previous: POLICY } },
    });
    expect(code).toBe(EXIT.done);
    expect(asked[1]).toMatchObject({ method: 'PUT', body: previous });
    expect(asked[1]?.headers.get('if-match')).toBe('"4"');
    const none = await run('policy q --undo', { 'GET queues/q/policy': { json: policyView } });
    expect([none.code, none.asked.length]).toEqual([EXIT.usage, 1]);
  });

  it('stores a whole policy from a file', async () => {
    await writeFile(join(folder, 'policy.json'), JSON.stringify(POLICY));
    const { asked, out } = await run(
      'policy q --put policy.json',
      { 'PUT queues/q/policy': { json: policyView } },
      { folder },
    );
    expect([asked[0]?.body, asked[0]?.headers.get('if-match')]).toEqual([POLICY, null]);
    expect(out).toContain('q, version 4');
  });

  const cancelAnswer = (left: { chunks: number; items: number }) => ({
    ...batchView('b', 'cancelling'),
    cancellation: { ended: { chunks: 3, items: 3_000 }, left },
  });

  it.each([
    [
      { chunks: 1, items: 900 },
      ['The workers or the sweep end the rest: 1 chunk with 900 items. Follow it: sluice watch b'],
    ],
    [{ chunks: 0, items: 0 }, []],
  ])('says what a cancel has ended, and what it has left to the workers: %j', async (left, rest) => {
    const { out } = await run('cancel b', { 'POST batches/b/cancel': { status: 202, json: cancelAnswer(left) } });
    const [state] = out.split('\nState: ');
    expect(state?.split('\n')).toEqual(['Ended at once: 3 chunks with 3,000 items', ...rest]);
  });

  it('cancels, and is content with any end', async () => {
    const { code } = await run('cancel b --wait', {
      'POST batches/b/cancel': { status: 202, json: cancelAnswer({ chunks: 1, items: 900 }) },
      'GET batches/b': { json: batchView('b', 'cancelled') },
    });
    expect(code).toBe(EXIT.done);
  });

  it.each([
    [204, 'Deleted b\n'],
    [202, 'Deleting b; it is large, the sweep goes on with it.\n'],
  ])('deletes when it is meant: %i', async (status, text) => {
    expect((await run('delete b --yes', { 'DELETE batches/b': { status } })).out).toBe(text);
  });

  it('says what a sweep has done, and fails with its failures', async () => {
    const sweep = (counts: object) => run('sweep', { 'POST sweep': { json: { ...noCounts(), ...counts } } });
    expect((await sweep({ open: 2 })).out).toBe('2 open batches looked at; nothing was wrong\n');
    const { out, code } = await sweep({ restarted: 3, failed: 1 });
    expect([out, code]).toEqual(['0 open batches looked at\n  restarted  3\n  failed     1\n', EXIT.failed]);
    expect((await sweep({ startFailed: 1 })).code).toBe(EXIT.failed);
  });

  it('fails with the health of the app', async () => {
    const checks = { table: 'ok', queue: 'failed', blob: 'ok' };
    const problems = [{ resource: 'queue billing-normal-0', problem: 'does not answer' }];
    const json = { status: 'failing', pool: null, workloads: ['billing'], checks, problems };
    const { code, out } = await run('health --deep', { 'GET health?deep=true': { status: 503, json } });
    expect([code, out]).toEqual([EXIT.failed, expect.stringContaining('queue billing-normal-0: does not answer')]);
  });
});

it('batches are listed by labels', async () => {
  const { asked } = await run(['batches', '--label', 'month=2026-11', '--label', 'from=a b'], {});
  expect(asked[0]?.path).toBe('batches?label=month%3D2026-11&label=from%3Da+b&limit=50');
});
