import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../demo/arguments.ts';

describe('the command line', () => {
  it('has a default for everything', () => {
    expect(readArguments([], '/here')).toEqual({
      file: undefined,
      items: 200_000,
      seed: 1,
      workload: 'billing',
      instances: 1,
      port: undefined,
      once: false,
      keep: false,
      help: false,
    });
  });

  it('generates fewer images than transactions', () => {
    expect(readArguments(['--workload', 'media'], '/here')).toMatchObject({ workload: 'media', items: 120 });
  });

  it('takes a file from where the user stands', () => {
    expect(readArguments(['--once', 'data/usage.csv.gz'], '/here').file).toBe('/here/data/usage.csv.gz');
  });

  it.each([
    [['--items', '0'], '--items: expected a whole number from 1 to 10000000, got "0"'],
    [['--items', '1.5'], 'got "1.5"'],
    [['--instances', '17'], '--instances: expected a whole number from 1 to 16'],
    [['--seed', 'x'], '--seed: expected a whole number from 0'],
    [['usage.xml'], 'expected a name such as usage.ndjson'],
    [['a.csv', 'b.csv'], 'Expected one FILE, got 2'],
    [['--workload', 'video'], 'expected a FILE as well'],
    [['--fast'], '--fast'],
  ])('refuses %j', (args, message) => {
    expect(() => readArguments(args, '/here')).toThrow(message);
  });
});
