import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram, type StartOptions } from '../../../src/cli/program.ts';

interface Run {
  app?: string;
  options?: StartOptions;
  out: string;
  problems: string[];
  exitCode: number;
}

async function run(...args: string[]): Promise<Run> {
  const result: Run = { out: '', problems: [], exitCode: 0 };
  const program = createProgram(async (app, options) => void Object.assign(result, { app, options }), {
    out: (text) => {
      result.out += text;
    },
    usageError: (line) => void result.problems.push(line),
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error: unknown) {
    if (!(error instanceof CommanderError)) throw error;
    result.exitCode = error.exitCode;
  }
  return result;
}

describe('start', () => {
  it('uses the current folder and no options by default', async () => {
    expect(await run('start')).toMatchObject({ app: '.', options: {}, problems: [] });
  });

  it('accepts the options of func start and its own', async () => {
    const { app, options } = await run(
      ...[
        'start',
        'shop',
        '-p',
        '0',
        '--functions',
        'one',
        'two',
        '--cors',
        'http://a/, http://b',
        '--cors-credentials',
      ],
      ...['--entities', 'bus.json', '--instances', '3', '--data', 'state', '--verbose'],
    );
    expect(app).toBe('shop');
    expect(options).toEqual({
      ...{ port: 0, functions: ['one', 'two'], cors: ['http://a', 'http://b'], corsCredentials: true },
      ...{ entities: 'bus.json', instances: 3, data: 'state', verbose: true },
    });
  });

  it.each([
    [['--port', '65536'], 'Expected a whole number from 0 to 65535.'],
    [['--port', '1e3'], 'Expected a whole number from 0 to 65535.'],
    [['--instances', '0'], 'Expected a whole number from 1 to 16.'],
    [['--cors', ' , '], 'Expected at least one origin.'],
    [['--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['--data'], "option '--data <folder>' argument missing"],
    [['one', 'two'], 'too many arguments'],
  ])('refuses %j with one line', async (args, expected) => {
    const { problems, exitCode } = await run('start', ...args);
    expect(exitCode).not.toBe(0);
    expect(problems).toEqual([expect.stringContaining(expected)]);
    expect(problems[0]).not.toContain('\n');
  });
});

describe('the command itself', () => {
  it('prints the version of the package', async () => {
    expect(await run('--version')).toMatchObject({ out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), exitCode: 0 });
  });

  it('prints its help on request', async () => {
    const { out, exitCode } = await run('start', '--help');
    expect(out).toMatch(/^Usage: functions-local start \[options\] \[app\]$/m);
    expect(exitCode).toBe(0);
  });

  it('has no other command', async () => {
    const { problems } = await run('strat');
    expect(problems).toEqual(["unknown command 'strat' (Did you mean start?)"]);
  });
});
