import { describe, expect, it } from 'vitest';
import { readArguments, readDevArguments } from '../../../local/arguments.ts';

/** What the app of this repository generates. */
const GENERATED = { workload: 'billing', items: { billing: '200000', media: '120' } };
const DEV_GENERATED = { workload: 'billing', items: { billing: '1000' } };

describe('the command line', () => {
  it('has a default for every option', () => {
    expect(readArguments([], '/here', GENERATED)).toEqual({
      file: undefined,
      items: 200_000,
      seed: 1,
      workload: 'billing',
      instances: 1,
      port: undefined,
      csv: {},
      subscriptions: {},
      once: false,
      again: false,
      keep: false,
      help: false,
    });
  });

  it('generates fewer images than transactions', () => {
    expect(readArguments(['--workload', 'media'], '/here', GENERATED)).toMatchObject({ workload: 'media', items: 120 });
  });

  it('of an app that generates nothing may have no file, and leaves the workload to the app', () => {
    expect(readArguments([], '/here')).toMatchObject({ file: undefined, workload: undefined });
    expect(readDevArguments(['--workload', 'orders'], '/here')).toMatchObject({ file: undefined, workload: 'orders' });
  });

  it('resolves a file in the current folder of the user', () => {
    expect(readArguments(['--once', 'data/usage.csv.gz'], '/here').file).toBe('/here/data/usage.csv.gz');
  });

  it('accepts a port, and the format of a CSV file', () => {
    const args = [
      'a.csv',
      '--port',
      '8000',
      '--delimiter',
      'semicolon',
      '--rename',
      'Konto=account',
      '--rename',
      'A=b',
    ];
    expect(readArguments(args, '/here')).toMatchObject({
      port: 8000,
      csv: { delimiter: ';', rename: { Konto: 'account', A: 'b' } },
    });
  });

  it('accepts subscriptions with filters of any content', () => {
    const own = ['--subscription', "done=type = 'BatchCompleted'", '--subscription', "sales=[label.team] = 'sales'"];
    const subscriptions = { done: "type = 'BatchCompleted'", sales: "[label.team] = 'sales'" };
    expect(readArguments(own, '/here')).toMatchObject({ subscriptions });
    expect(readDevArguments(own, '/here')).toMatchObject({ subscriptions });
  });

  it.each(['a.tsv', 'a.XLSX', 'a.parquet', 'a.jsonl.zst'])('takes %s', (name) => {
    expect(readArguments([name], '/here').file).toBe(`/here/${name}`);
  });

  it('of npm run dev generates a small file, and ends only on request', () => {
    expect(readDevArguments([], '/here', DEV_GENERATED)).toMatchObject({
      workload: 'billing',
      items: 1_000,
      once: false,
    });
    expect(() => readDevArguments(['--once'], '/here')).toThrow('--once');
    expect(() => readDevArguments(['--workload', 'media'], '/here', DEV_GENERATED)).toThrow('expected a FILE, because');
  });

  it.each([
    [['--port', '70000'], '--port: expected a whole number from 1 to 65535, got "70000"'],
    [['--delimiter', 'x'], 'delimiter'],
    [['--subscription', 'done'], '--subscription: expected NAME=FILTER'],
    [['--subscription', '../x=1 = 1'], '--subscription: expected NAME=FILTER'],
    [['--subscription', 'wake-media=1 = 1'], '--subscription: wake-media already exists'],
    [['--items', '0'], '--items: expected a whole number from 1 to 10000000, got "0"'],
    [['--items', '1.5'], 'got "1.5"'],
    [['--instances', '17'], '--instances: expected a whole number from 1 to 16'],
    [['--seed', 'x'], '--seed: expected a whole number from 0'],
    [['usage.xml'], 'expected a name such as usage.ndjson'],
    [['a.csv', 'b.csv'], 'Expected one FILE, got 2'],
    [['--workload', 'video'], 'expected a FILE, because'],
    [['--fast'], '--fast'],
  ])('refuses %j', (args, message) => {
    expect(() => readArguments(args, '/here', GENERATED)).toThrow(message);
  });
});
