import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { connectionFault, run } from './world.ts';

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
    ['resume biling-normal-0', 'GET queues/biling-normal-0'],
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
