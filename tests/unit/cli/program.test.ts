import { describe, expect, it } from 'vitest';
import { EXIT, EXIT_MEANINGS } from '../../../cli/process/exit-codes.ts';
import { createProgram } from '../../../cli/program.ts';
import { VARIABLES } from '../../../cli/settings.ts';
import { run } from './world.ts';

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
  ...['start', 'dev', 'new-workload', 'package', 'azure', 'doctor', 'login', 'logout', 'profiles'],
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
    ['redrive a --patch nonsense', 'Expected a JSON object'],
    ['redrive a --corrected nowhere.ndjson', '--corrected: cannot read nowhere.ndjson (ENOENT)'],
    ['policy q --put nowhere.json', '--put: cannot read a policy from nowhere.json'],
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
