import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { EXIT, EXIT_MEANINGS } from '../../../cli/process/exit-codes.ts';
import { createProgram } from '../../../cli/program.ts';
import { VARIABLES } from '../../../cli/settings.ts';
import { connectionFault, run } from './world.ts';

const COMMANDS = [
  ...['try', 'submit', 'watch', 'batches', 'results', 'report', 'dead-letters', 'items', 'find', 'inbox'],
  ...['open', 'logs'],
  ...['redrive', 'discard', 'cancel', 'delete'],
  ...[
    'overview',
    'queues',
    'queue',
    'pause',
    'resume',
    'drain',
    'clear',
    'policy',
    'history',
    'cost',
    'sweep',
    'health',
    'audit',
  ],
  ...['login', 'logout', 'profiles', 'completion'],
];

describe('the command line', () => {
  it('has every command, each with its own help', async () => {
    const program = createProgram(() => async () => {}, { out: () => {}, err: () => {} });
    expect(program.commands.map((command) => command.name())).toEqual(COMMANDS);
    for (const name of COMMANDS) {
      const { code, out } = await run(`${name} --help`);
      expect([name, code]).toEqual([name, EXIT.done]);
      expect(out).toContain(`Usage: sluice ${name}`);
      expect(out).toContain('--json');
    }
  });

  it('lists its variables and exit codes', async () => {
    const { out } = await run('--help');
    for (const text of [...Object.keys(VARIABLES), ...Object.values(EXIT_MEANINGS)]) expect(out).toContain(text);
  });

  it('keeps its exit codes', () => {
    expect(EXIT).toEqual({
      ...{ done: 0, failed: 1, usage: 2, notFound: 3, refused: 4, deadLetters: 5, cancelled: 6, timeout: 7 },
      ...{ reportFailed: 8, suspect: 9 },
    });
  });

  it('is documented: every command, option, variable and exit code', async () => {
    const page = await readFile('docs/cli.md', 'utf8');
    const program = createProgram(() => async () => {}, { out: () => {}, err: () => {} });
    const options = program.commands.flatMap(({ options: own }) => own.map(({ long }) => `${long}`));
    const names = [...COMMANDS.map((name) => `### ${name}`), ...options, ...Object.keys(VARIABLES)];
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
    for (const code of Object.values(EXIT)) expect(page).toContain(`| ${code} |`);
  });

  it.each([
    ['', 'Usage: sluice'],
    ['frobnicate', "unknown command 'frobnicate'"],
    ['submitt x', 'Did you mean submit?'],
    ['watch', "missing required argument 'id'"],
    ['watch a b', 'too many arguments'],
    ['batches --limit 0', 'whole number from 1'],
    ['batches --limit', 'argument missing'],
    ['batches --day yesterday', 'Expected a day such as'],
    ['batches --state gone', 'Allowed choices are'],
    ['batches --state complete', 'Did you mean completed?'],
    ['batches --stat queued', 'Did you mean --state?'],
    ['batches -o yaml', 'Allowed choices are table, json, csv.'],
    ['batches -o jsn', 'Did you mean json?'],
    ['batches --json -o csv', '--json: means --output json'],
    ['submit - --format nd-json', 'Did you mean ndjson?'],
    ['report a --format tabel', 'Did you mean table?'],
    ['report a --format csv -o json', '--format csv: cannot be combined with --output json'],
    ['results a -o table', '--output table: expected one of json, csv'],
    ['results a --manifest --format csv', '--manifest: expected --format json or ndjson'],
    ['results a --out r.json --column x', 'expected --format csv'],
    ['watch a -o csv', '--output csv: expected one of table, json'],
    ['batches 01985a00-0000-7000-8000-000000000000 -o csv', 'expected table or json for a single batch'],
    ['batches --version', '--version: cannot be combined with a command; batches was not run'],
    ['items a --state gone', 'Allowed choices are'],
    ['completion tcsh', 'Allowed choices are bash, zsh, fish.'],
    ['completion fihs', 'Did you mean fish?'],
    ['watch a --timeout -1', '--timeout'],
    ['redrive a --items 1,x', 'whole numbers separated by commas'],
    ['redrive a --cause x --items 1', '--cause: cannot be combined with --items or --corrected'],
    ['dead-letters --format ndjson', 'expected the id of a batch'],
    ['dead-letters a --day 2026-09-24', '--day: cannot be combined with the id of a batch'],
    ['history --from yesterday', 'Expected a day such as'],
    ['history --day 2026-09-24 --to 2026-09-24', 'cannot be used with'],
    ['discard a', "required option '--reason <text>'"],
    ['discard a --reason x --cause y --items 1', 'cannot be combined with --items'],
    ['redrive a --rate 0', 'number from 0.01'],
    ['redrive a --patch [1]', 'Expected a JSON object'],
    ['redrive a --report --patch {}', '--report: cannot be combined with'],
    ['results a --column x', 'expected --format csv'],
    ['policy q --if-version 3', 'expected --put'],
    ['policy q --put - --capacity 3', '--put: cannot be combined with other changes'],
    ['policy q --undo --capacity 3', 'cannot be used with'],
    ['policy q --receive-size 33', 'whole number from 1 to 32, or none'],
    ['policy q --receive-interval 61000', 'whole number from 0 to 60000, or none'],
    ['policy q --notify-from nothing', 'whole number from 1 to 1000000, or none'],
    ['submit nowhere.ndjson', 'cannot read nowhere.ndjson (ENOENT)'],
    ['submit .', 'expected a regular file'],
    ["submit - --idempotency-key 'schön'", 'printable ASCII'],
    ['submit - --via inbox', '--inbox-connection'],
    ['submit - --workload w --via inbox --inbox-connection nonsense', 'expected a connection string'],
    ['batches --url nowhere', '--url: expected an address'],
    ['delete a', 'expected --yes'],
    ['clear q --confirm p', '--confirm: expected q, got p. Nothing was cleared.'],
    ['clear q', 'clear: expected --confirm NAME, because there is no terminal to ask for confirmation'],
  ])('refuses "%s"', async (args, message) => {
    const { code, err, asked } = await run(args);
    expect(err).toContain(message);
    expect([code, asked]).toEqual([EXIT.usage, []]);
  });
});

const problem = (type: string, status: number, more: object = {}) => ({
  status,
  json: { type: `https://sluice.example/problems/${type}`, title: 'Title', status, detail: 'Detail.', ...more },
});

describe('the version', () => {
  it.each(['--version', '-V', '--version --no-color'])('is printed by %s', async (args) => {
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await run(args)).toMatchObject({ code: EXIT.done, out: `${version}\n`, err: '', asked: [] });
    expect(JSON.parse((await run(`${args} --json`)).out)).toEqual({ version });
  });
});

describe('an error', () => {
  it.each([
    ['not-found', 404, EXIT.notFound],
    ['conflict', 409, EXIT.refused],
    ['invalid-parameter', 400, EXIT.refused],
    ['busy', 503, EXIT.failed],
    ['internal', 500, EXIT.failed],
  ])('that is a problem %s is printed, and sets the exit code', async (type, status, exit) => {
    const { code, err, out } = await run('batches b1', { 'GET batches/b1': problem(type, status) });
    expect([code, out]).toEqual([exit, '']);
    expect(err).toContain(`sluice: Title (${status} ${type})\n  Detail.\n`);
  });

  it('contains when to try again', async () => {
    const busy = { ...problem('busy', 503), headers: { 'retry-after': '7' } };
    const { err } = await run('queues', { 'GET queues': busy });
    expect(err).toContain('Try again in 7 s: an accepted request is not executed twice.');
    expect(err).toContain('submit --again');
  });

  it('contains every place of an upload, and a single one only once', async () => {
    const one = { line: 3, column: 9, message: 'Odd.' };
    const single = problem('malformed-record', 400, { detail: 'Line 3, column 9: Odd.', errors: [one] });
    const several = problem('malformed-record', 400, { errors: [one, { line: 5, column: 1, message: 'Odder.' }] });
    expect((await run('sweep', { 'POST sweep': single })).err.match(/column 9/g)).toHaveLength(1);
    expect((await run('sweep', { 'POST sweep': several })).err).toContain(
      '  line 3, column 9: Odd.\n  line 5, column 1: Odder.\n',
    );
  });

  it('about the key mentions the variables', async () => {
    const { code, err } = await run('queues', { 'GET queues': { status: 401 } });
    expect([code, err]).toEqual([EXIT.refused, expect.stringContaining('SLUICE_OPERATOR_KEY')]);
  });

  it('of a proxy is shown unchanged', async () => {
    const { code, err } = await run('queues', { 'GET queues': { status: 502, text: '<h1>Bad gateway</h1>' } });
    expect([code, err]).toEqual([EXIT.failed, expect.stringContaining('answered 502: <h1>Bad gateway</h1>')]);
  });

  it('of a proxy cannot control the terminal', async () => {
    const { err } = await run('queues', { 'GET queues': { status: 502, text: '\u001b[2J\u009b1m' } });
    expect(err).toContain('answered 502: \\x1b[2J\\x9b1m\n');
  });

  it('of the connection says what to start or check', async () => {
    const answers = { 'GET queues': connectionFault('ECONNREFUSED') };
    const { code, err } = await run('queues --url http://127.0.0.1:7071', answers);
    expect([code, err]).toEqual([EXIT.failed, expect.stringContaining('npm start')]);
    expect((await run('queues', answers)).err).toContain('Check that the app is running');
  });

  it('about an unknown workload suggests a similar one', async () => {
    const detail = 'There is no workload "biling"; there are: billing, media.';
    const { code, err } = await run('sweep', { 'POST sweep': problem('not-found', 404, { detail }) });
    expect([code, err]).toEqual([EXIT.notFound, expect.stringContaining('\nDid you mean billing?\n')]);
  });

  it.each([
    ['pause biling-normal-0', 'POST queues/biling-normal-0/pause'],
    ['resume biling-normal-0', 'POST queues/biling-normal-0/resume'],
    ['drain biling-normal-0', 'POST queues/biling-normal-0/drain'],
    ['queue biling-normal-0', 'GET queues/biling-normal-0'],
    ['policy biling-normal-0 --json', 'GET queues/biling-normal-0/policy'],
  ])('about an unknown queue suggests a similar one: %s', async (args, path) => {
    const queues = [{ queue: 'billing-high-0' }, { queue: 'billing-normal-0' }];
    const answers = { [path]: problem('not-found', 404), 'GET queues': { json: { queues } } };
    const { code, err } = await run(args, answers);
    expect([code, err]).toEqual([EXIT.notFound, expect.stringContaining('Did you mean billing-normal-0?')]);
    if (args.endsWith('--json')) expect(JSON.parse(err).error.problem.status).toBe(404);
  });

  it('is printed as JSON with --json', async () => {
    const { err } = await run('watch b1 --json', { 'GET batches/b1': problem('not-found', 404) });
    expect(JSON.parse(err)).toMatchObject({ error: { exitCode: 3, problem: { detail: 'Detail.', status: 404 } } });
  });
});
